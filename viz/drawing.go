package viz

// drawing is a picture before it is laid out: boxes in clusters, joined by edges. It is
// what writers write; it says what things mean, and themes say how they look.
type drawing struct {
	title   []span
	root    *cluster
	edges   []edge
	rows    []row
	columns [][]string // boxes of each column, from left to right
	hung    []hung
	uses    uses // what occurs, for the legend
	large   bool
}

// count counts the boxes and beads, and the lines between them.
func (d *drawing) count() (nodes, edges int) {
	nodes = d.root.count()
	for _, e := range d.edges {
		edges++
		if e.bead != nil {
			nodes++
			edges++
		}
	}
	return nodes, edges
}

// hung puts a box below another one, without an edge that is seen.
type hung struct {
	above, below string
	up           bool // in a part that is drawn against the direction of the program
}

// row is boxes that stand beside one another.
type row struct {
	ids     []string
	ordered bool // from left to right in this order
}

// cluster is a frame around boxes.
type cluster struct {
	id     string
	label  string // "" where a caption stands inside
	kernel bool
	boxes  []*box
	inner  []*cluster
}

// count counts the boxes of a cluster and of those inside of it.
func (c *cluster) count() int {
	n := len(c.boxes)
	for _, in := range c.inner {
		n += in.count()
	}
	return n
}

// box is one box, or a caption without a border.
type box struct {
	id      string
	look    look
	shape   boxShape
	title   []span
	before  []chip // operands printed before the title, in order
	after   []chip // operands printed after it
	lines   []line
	tooltip []string
	heavy   bool   // a thick border: a value that stays
	cut     bool   // a dashed border: some neighbour is not drawn
	order   string // which edges keep their order from left to right: "in", "out" or ""
	spine   string // boxes with the same word are drawn below one another if possible
}

type boxShape uint8

const (
	shapeBox     boxShape = iota
	shapeCompact          // title and first line in one row
	shapeCard             // aligned left
	shapeStack            // a card with further ones behind it
	shapeCaption          // text without a border
)

// chip is a small label inside a box.
type chip struct {
	look  look
	spans []span
}

// line is one row of a box below its title.
type line struct {
	size  size
	spans []span
}

type size uint8

const (
	sizeTitle size = iota
	sizeType
	sizeNote
)

// span is text in one style.
type span struct {
	text     string
	style    style
	of       look // of a name: the look whose colour it has
	division int  // of styleDivision: the mesh axis
}

type style uint8

const (
	styleText     style = iota // in the theme's text colour
	styleStrong                // bold
	styleName                  // bold, in the colour of the span's look
	styleType                  // in the box's colour for types
	styleCaption               // bold, in that colour
	styleFaint                 // for notes
	styleStretch               // bold: a repeated axis
	styleMaybe                 // a repeated axis, if sizes turn out so
	styleSummed                // struck through
	styleBeside                // axes beside a repeated one
	styleBad                   // bold, in the colour of mistakes
	styleSilenced              // bold, in the colour for what could not be judged
	styleDivision              // bold, in the colour of a mesh axis
)

// edge joins two boxes; it may carry a bead, a label in the middle.
type edge struct {
	from, to string
	bead     []span
	beadID   string
	cluster  *cluster // where the bead stands
	style    edgeStyle
	up       bool  // drawn against the direction of the program
	divided  []int // the mesh axes over which what it carries is divided
	weight   int
	length   int // the least number of rows between the ends; 0 is 1
}

type edgeStyle uint8

const (
	edgePlain   edgeStyle = iota
	edgeStretch           // the operand is repeated
	edgeWrite             // the operand's storage is written
	edgeBad               // the operand of a mistake
	edgeSilent            // the operand of what could not be judged
)

type legendEntry struct {
	look   look
	kernel bool
	mark   []span // shown instead of a coloured field, where there is one
	text   string
}
