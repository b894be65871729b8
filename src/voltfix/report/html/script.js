(() => {
  "use strict";
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const chips = all(".chip");
  const strategy = document.getElementById("strategy");
  const file = document.getElementById("file");
  const search = document.getElementById("search");

  const apply = () => {
    const on = new Set(chips.filter((c) => c.getAttribute("aria-pressed") === "true").map((c) => c.dataset.status));
    const words = search.value.trim().toLowerCase();
    let shown = 0;
    for (const section of all(".file")) {
      let here = 0;
      const name = section.dataset.file;
      for (const site of section.querySelectorAll(".site")) {
        const fits = (on.size === 0 || on.has(site.dataset.status))
          && (!strategy.value || strategy.value === site.dataset.how)
          && (!file.value || file.value === name)
          && (!words || (name + " " + site.textContent).toLowerCase().includes(words));
        site.hidden = !fits;
        here += fits ? 1 : 0;
      }
      section.hidden = here === 0;
      shown += here;
    }
    document.getElementById("nothing").hidden = shown > 0 || all(".site").length === 0;
  };

  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") === "true" ? "false" : "true");
      apply();
    });
  }
  for (const field of [strategy, file, search]) field.addEventListener("input", apply);
})();
