"""What is known of an operation, a method or an attribute by its name: the columns of the tables beside this file.

Bits, so that a row is ``NAME: TRAIT | TRAIT``. Those of 0.3 are observations on a genuine 0.3.0 (docs/emulation.md).
"""

from __future__ import annotations

# --- on 0.3: which inputs pass volatile on, which results take it ---
INDEX_1 = 1 << 0  # the index at position 1 passes nothing on
INDEX_2 = 1 << 1  # the index at position 2 passes nothing on
MASK_1 = 1 << 2  # the mask at position 1 passes nothing on
OTHER_1 = 1 << 3  # the other operand, at position 1, gives a shape, a type or a divisor and passes nothing on
LENGTHS_1 = 1 << 4  # the lengths at position 1 pass nothing on (on 0.3 they were a list)
BATCH_SIZES_1 = 1 << 5  # the sizes of batches at position 1 pass nothing on
TWIN = 1 << 6  # so does ``name_``, which writes in place
FREE_0 = 1 << 7  # its result is never volatile: an index
FREE_1 = 1 << 8  # its second result is never volatile: an index, or a factor that 0.3 did not differentiate
FREE_2 = 1 << 9  # nor is its third
# its result has a node (``grad_fn``) even where nothing requires grad: ``x[0].volatile = False`` raises. Indexing
# by a tensor is none of them, and a conversion is one only where the type changes
NODE = 1 << 10
SAMPLE = 1 << 11  # a sample: nothing differentiates through it, although torch of today says that some require grad
LIKE = 1 << 12  # made anew in the shape of a tensor: volatile where that is, and without a graph whatever it is
COMPARISON = 1 << 13  # a byte tensor on 0.3, bool today
DATA = 1 << 14  # gives plain data: a tensor that is no Variable, an array, a number
ABOUT = 1 << 15  # says something about a tensor, and gives none

JOINS = 1 << 60  # joins the tensors of a list, and raised where there were none in it
PRODUCT = 1 << 61  # a product of matrices or vectors: a tensor that is none of those that go in

# --- what the interpretation makes of it ---
METHOD = 1 << 16  # a method of 0.3's tensors
PLAIN = 1 << 17  # a method that gives numbers, shapes or plain data
# a method that only a tensor has and that gives the same values: no operation on something that requires no grad
DEVICE = 1 << 18
VIEW = 1 << 19  # another look at the same values
SIZES = 1 << 20  # its arguments are numbers: sizes, dimensions
FACTORY = 1 << 21  # makes a plain tensor (on 0.3 no Variable) from numbers
PLAIN_ATTRIBUTE = 1 << 22  # an attribute that no gradient belongs to
SHOWS_GRAPH = 1 << 23  # an attribute that tells whether there is a graph
GRAPH = 1 << 24  # a name in a body that says that it may build a graph, or use one
NO_WEIGHT = 1 << 25  # what a hook reads of a weight by it has no graph
TENSOR_USE = 1 << 26  # tensors have it, and little else that is called volatile
NEUTRAL = 1 << 27  # neither computes on tensors nor runs code that builds graphs, whatever the receiver is
# neutral as well when nothing but plain data goes in: on containers, strings, modules; other objects have such
# methods too
NEUTRAL_ON_PLAIN = 1 << 28
QUIET = 1 << 29  # nothing is lost where it is not called: it only answers
RESHUFFLES = 1 << 30  # puts the entries of a container elsewhere
PUTS = 1 << 31  # puts an entry into a container
RETURNS_SELF = 1 << 32  # a method of nn.Module that gives the module itself
MOVES_WEIGHTS = 1 << 33  # a module after it is the same one, with the same weights
LISTS_WEIGHTS = 1 << 34  # lists the weights of a module
COMMON = 1 << 35  # containers, tensors and modules have it: by its name alone a method of the project is not meant
USUAL = 1 << 36  # so many classes have it that a call of it names none

# --- today's shape and type, and where values go (``modernize``) ---
# without a dim argument the result has no dimensions; with one, one less (or as many, with keepdim)
REDUCES = 1 << 37
PAIRS = 1 << 38  # with a dim argument it gives values and indices
SCALAR = 1 << 39  # always a tensor without dimensions
BOOLEAN = 1 << 40  # gives bool today, or writes it
ELEMENTWISE = 1 << 41  # shape kept; type kept, or broadcast with a second operand
SAME = 1 << 42  # shape and type kept
NUMBERS = 1 << 43  # gives a number, or numbers
STRIDING = 1 << 44  # the result may not be contiguous in memory
SIZED = 1 << 45  # shape from the arguments: numbers, or one size
VECTOR = 1 << 46  # makes a vector
FILLED_LIKE = 1 << 47  # made in the shape of a tensor
TENSOR = 1 << 48  # gives a tensor, of whatever shape
TELLING = 1 << 49  # a tensor can be told by it: nothing else that such code handles has it
# of those, what other objects answer, too: modules, packed sequences, frames of data, options that are no methods
SHARED = 1 << 50
ASKED = 1 << 51  # of those, what is no method
PLUMBING = 1 << 52  # what modules have as well: it keeps what something is
ENDS = 1 << 53  # what is taken by it holds no graph
ASKS = 1 << 54  # a gradient is asked by it
READING = 1 << 55  # of ``.data``: it gives a new value
PASSING = 1 << 56  # of ``.data``: it hands the same value on
OF_MODEL = 1 << 57  # modules have it, states do not
STORES = 1 << 58  # keeps its argument in the object
LISTS = 1 << 62  # gives an iterator, a view or a list that is made for who asks: nothing that somebody else has
LISTS_PAIRS = 1 << 63  # of those, what lists names or keys, each in a tuple with what it stands for
ARRAY = 1 << 64  # a method of NumPy's arrays that 0.3's tensors had not: it lays out numbers
RESIZES = 1 << 66  # of a container: behind it another number of things may be in it
SEVERAL = 1 << 65  # gives several tensors in a tuple
MEASURED = 1 << 67  # a function of torch of one tensor: what goes in beside it are sizes, that no gradient comes to
HANDS = 1 << 59  # of queues, pipes and generators: what takes its argument runs elsewhere, or in a frame of its own
