package viz

// Paint has the colours of a kind of box, written as "#RRGGBB".
type Paint struct {
	Fill string // of the box
	Line string // its border, and the names of values
	Type string // dtype and shape
	Chip string // of chips that stand for such a value
}

// Theme holds all colours of a picture.
type Theme struct {
	Background string
	Text       string // operations and names
	Dim        string // types of plain values
	Faint      string // notes and captions
	Edge       string

	Stretch     string // axes that broadcasting repeats or that are reduced
	StretchText string // the other axes next to them
	StretchEdge string
	Write       string // edges to values whose storage is written

	Plain    Paint // computed values
	Input    Paint
	Param    Paint
	Constant Paint
	Output   Paint
	Kept     Paint // read again by a gradient
	Reduce   Paint // sums and other reductions
	Movement Paint // the same elements in another arrangement
	Card     Paint // folded scopes
	Wrong    Paint // mistakes
	Silent   Paint // what could not be checked because of a mistake

	Divisions [maxDivisions]string // edges of values that are divided over the axes of a mesh

	Cluster Paint  // scopes and parts of the program
	Kernel  Paint  // kernels, with their captions in Type
	Stored  string // the border of values that are written to memory
}

// Light is the theme for screens.
var Light = Theme{
	Background: "#FFFFFF", Text: "#24292F", Dim: "#6E7781", Faint: "#8C959F", Edge: "#8C959F",
	Stretch: "#C2570C", StretchText: "#9A5A1E", StretchEdge: "#D9822B", Write: "#CF222E",
	Plain:     Paint{"#FFFFFF", "#C9D1D9", "#6E7781", "#F0F2F4"},
	Input:     Paint{"#DDEBFA", "#3B82C4", "#46607A", "#DDEBFA"},
	Param:     Paint{"#DFF3E4", "#2E9E5B", "#3E6B52", "#DFF3E4"},
	Constant:  Paint{"#F0F2F4", "#AFB8C1", "#6E7781", "#ECEFF2"},
	Output:    Paint{"#F8E8F1", "#BF3989", "#7A4A63", "#F8E8F1"},
	Kept:      Paint{"#F6F0FF", "#8250DF", "#6639BA", "#E9DDFB"},
	Reduce:    Paint{"#FDF0E6", "#D9822B", "#8A5A2B", "#FBE3CF"},
	Movement:  Paint{"#F6F8FA", "#D8DEE4", "#8C959F", "#ECEFF2"},
	Card:      Paint{"#FFFFFF", "#8250DF", "#6E7781", "#E9DDFB"},
	Wrong:     Paint{"#FFF1F0", "#CF222E", "#24292F", "#FFE3E0"},
	Silent:    Paint{"#F6F8FA", "#D8DEE4", "#AFB8C1", "#F0F2F4"},
	Divisions: [maxDivisions]string{"#0969DA", "#BC4C00", "#1A7F37", "#8250DF"},
	Cluster:   Paint{"#FBFCFD", "#D0D7DE", "#8C959F", ""},
	Kernel:    Paint{"#FFFAEC", "#E0B040", "#9A6700", "#FBEBB8"}, Stored: "#57606A",
}

// Dark is the theme for dark pages.
var Dark = Theme{
	Background: "#0D1117", Text: "#E6EDF3", Dim: "#9198A1", Faint: "#7D8590", Edge: "#6E7681",
	Stretch: "#F0883E", StretchText: "#C69026", StretchEdge: "#BD7A2E", Write: "#F85149",
	Plain:     Paint{"#161B22", "#3D444D", "#9198A1", "#262C36"},
	Input:     Paint{"#12263F", "#4493F8", "#8FB4DC", "#1B3A5F"},
	Param:     Paint{"#12301D", "#3FB950", "#8CC29A", "#1B4A2C"},
	Constant:  Paint{"#21262D", "#656C76", "#9198A1", "#2D333B"},
	Output:    Paint{"#3A1730", "#DB61A2", "#D49ABC", "#552244"},
	Kept:      Paint{"#241A3A", "#A371F7", "#B8A0E0", "#3A2A5C"},
	Reduce:    Paint{"#331F0E", "#BD7A2E", "#D0A070", "#4A2E16"},
	Movement:  Paint{"#12171E", "#30363D", "#7D8590", "#262C36"},
	Card:      Paint{"#161B22", "#A371F7", "#9198A1", "#3A2A5C"},
	Wrong:     Paint{"#3A1517", "#F85149", "#E6EDF3", "#5A2224"},
	Silent:    Paint{"#12171E", "#30363D", "#545D68", "#1C2128"},
	Divisions: [maxDivisions]string{"#4493F8", "#F0883E", "#3FB950", "#A371F7"},
	Cluster:   Paint{"#11161D", "#30363D", "#7D8590", ""},
	Kernel:    Paint{"#1D1A10", "#8A6D1F", "#D29922", "#3D3416"}, Stored: "#B1BAC4",
}

// Print is the theme for paper and for colour-blind readers: the hues of Okabe and Ito,
// which differ in brightness too, on white.
var Print = Theme{
	Background: "#FFFFFF", Text: "#000000", Dim: "#404040", Faint: "#606060", Edge: "#505050",
	Stretch: "#A63C00", StretchText: "#404040", StretchEdge: "#D55E00", Write: "#A63C00",
	Plain:     Paint{"#FFFFFF", "#808080", "#404040", "#EEEEEE"},
	Input:     Paint{"#E3F3FC", "#0072B2", "#303030", "#CDE9F8"},
	Param:     Paint{"#D9F2E9", "#009E73", "#303030", "#BFE8DA"},
	Constant:  Paint{"#EEEEEE", "#808080", "#404040", "#E4E4E4"},
	Output:    Paint{"#F8E6F0", "#CC79A7", "#303030", "#F0D2E2"},
	Kept:      Paint{"#FFFFFF", "#56B4E9", "#303030", "#D6EDFA"},
	Reduce:    Paint{"#FFF3DC", "#E69F00", "#303030", "#FFE7B8"},
	Movement:  Paint{"#F7F7F7", "#B0B0B0", "#505050", "#EEEEEE"},
	Card:      Paint{"#FFFFFF", "#0072B2", "#404040", "#CDE9F8"},
	Wrong:     Paint{"#FFFFFF", "#D55E00", "#000000", "#FBDCC8"},
	Silent:    Paint{"#FFFFFF", "#C8C8C8", "#A0A0A0", "#F2F2F2"},
	Divisions: [maxDivisions]string{"#0072B2", "#D55E00", "#009E73", "#CC79A7"},
	Cluster:   Paint{"#FCFCFC", "#B8B8B8", "#606060", ""},
	Kernel:    Paint{"#FFFDF0", "#B89B00", "#5C4E00", "#F5EDBB"}, Stored: "#000000",
}

// look is a kind of box.
type look uint8

const (
	lookPlain look = iota
	lookInput
	lookParam
	lookConst
	lookOutput
	lookKept
	lookReduce
	lookMovement
	lookCard
	lookKernel
	lookWrong
	lookSilent
	lookStored // a computed value that is written to memory
	lookCount
)

func (t *Theme) paint(l look) Paint {
	stored := t.Plain
	stored.Line = t.Stored
	return [lookCount]Paint{
		t.Plain, t.Input, t.Param, t.Constant, t.Output, t.Kept, t.Reduce, t.Movement, t.Card, t.Kernel, t.Wrong,
		t.Silent, stored,
	}[l]
}

// edgePaint returns the colour of an edge and whether it is dashed.
func (t *Theme) edgePaint(s edgeStyle) (colour string, dashed bool) {
	switch s {
	case edgeStretch:
		return t.StretchEdge, true
	case edgeWrite:
		return t.Write, false
	case edgeBad:
		return t.Wrong.Line, false
	case edgeSilent:
		return t.Silent.Line, false
	}
	return t.Edge, false
}
