// The picture of a column: boxes in groups that fold, forward flowing down and the
// gradient flowing up beside it. Operands that are far away are chips inside a box.
const pictureFold = new Map();
const crowded = 90; // boxes past which scopes begin folded
const pad = 14, header = 22;
const ruler = document.createElement("canvas").getContext("2d");

function textWidth(text, size, weight = "") {
	ruler.font = weight + " " + size + "px Arial, Helvetica, sans-serif";
	return ruler.measureText(text).width;
}

// pictureGroups says by what a picture groups values. A large program is drawn by its
// scopes, since hundreds of kernels are no picture; the other panels list them.
const pictureGroups = (c) => (c === last && kernels.length && columns[c].values.length <= 3 * crowded ? "kernels" : "scopes");

// pictureItems turns a group tree into items: nodes, and groups that are open or closed.
function pictureItems(c) {
	const column = columns[c], byKernels = pictureGroups(c) === "kernels";
	const tree = groupTree(c, pictureGroups(c), true);
	const pathOf = new Map();
	const isPart = (g) => !byKernels && column.parts > 1 && g.parent === tree;
	const closed = (g) => (pictureFold.has(g.key) ? pictureFold.get(g.key) : column.values.length > crowded && !isPart(g) && g.count > 1 && !byKernels);
	const walk = (group, item, path) => {
		item.items = [];
		for (const child of group.children) {
			if (typeof child === "number") {
				if (isNumber(column.values[child])) continue;
				const n = { node: child, value: column.values[child], chips: [] };
				item.items.push(n);
				pathOf.set(child, [...path, n]);
			} else if (child.count === 1 && byKernels) {
				single(child, item, path);
			} else {
				const g = { group: child, closed: closed(child), part: isPart(child) };
				item.items.push(g);
				if (g.closed) hide(child, [...path, g]);
				else walk(child, g, [...path, g]);
			}
		}
	};
	const single = (group, item, path) => { // a kernel of one value needs no frame
		const i = group.children[0];
		const n = { node: i, value: column.values[i], chips: [], alone: group.title };
		item.items.push(n);
		pathOf.set(i, [...path, n]);
	};
	const hide = (group, path) => {
		for (const child of group.children) {
			if (typeof child === "number") pathOf.set(child, path);
			else hide(child, path);
		}
	};
	const root = { root: true };
	walk(tree, root, []);
	return { root, pathOf };
}

// isNumber reports whether a value is shown inside its users only.
const isNumber = (v) => v.r === "const" && v.t.endsWith("[]") && !v.out && !v.e;
const numberText = (v) => (v.a || v.l).replace(/^(data|value)=\[?/, "").replace(/\]$/, "");

// connect finds, for every open item, the edges between its items; what cannot be an
// edge becomes a chip of the value that reads it.
function connect(c, { root, pathOf }) {
	const column = columns[c];
	column.values.forEach((v, i) => {
		const to = pathOf.get(i);
		if (!to) return;
		v.x.forEach((x) => {
			const self = to[to.length - 1];
			if (x.i < 0) return self.chips && self.chips.push({ text: x.l });
			const from = pathOf.get(x.i);
			const chip = { text: from ? shortLabel(column.values[x.i], v) : numberText(column.values[x.i]), of: column.values[x.i], i: x.i, axes: from ? x.x : "" };
			if (!from) return self.chips && self.chips.push(chip);
			let d = 0;
			while (d < from.length && d < to.length && from[d] === to[d]) d++;
			if (d >= from.length || d >= to.length) return;
			const level = d === 0 ? root : from[d - 1];
			level.pairs = level.pairs || new Map();
			const a = level.items.indexOf(from[d]), b = level.items.indexOf(to[d]);
			const key = a + ">" + b;
			if (!level.pairs.has(key)) level.pairs.set(key, { from: a, to: b, uses: [] });
			level.pairs.get(key).uses.push({ self, chip, from: from[from.length - 1] });
			if (to[d] !== self && self.chips) self.chips.push(chip); // its edge ends at the frame
		});
	});
	rankItems(root);
}

const shortLabel = (v, user) => (v.n && v.s && v.s !== user.s ? v.s.split(".").pop() + "." + v.n : v.n || v.l);

function rankItems(item) {
	item.edges = [...(item.pairs || new Map()).values()];
	const parts = item.items.some((x) => x.part);
	if (parts) for (const e of item.edges) e.chip = item.items[e.from].part || item.items[e.to].part;
	item.rank = rankLevel(item.items.length, item.edges);
	for (const e of item.edges) if (e.chip) for (const u of e.uses) if (u.self.chips && u.self === item.items[e.to]) u.self.chips.push(u.chip);
	for (const x of item.items) if (x.items) rankItems(x);
}

// measure gives every item its size, from the inside out.
function measure(item, c) {
	if (item.value) return measureNode(item);
	if (item.closed) {
		const words = closedWords(item.group, c);
		item.words = words;
		item.w = Math.max(textWidth(item.group.title, 14, "bold"), ...words.map((t) => textWidth(t, 11))) + 40;
		item.h = 30 + 16 * words.length;
		return;
	}
	for (const x of item.items) measure(x, c);
	if (item.items.some((x) => x.part)) return beside(item);
	item.placed = placeLevel(item.items, item.edges, item.rank);
	item.w = item.placed.w + 2 * pad;
	item.h = item.placed.h + 2 * pad;
	if (item.group) {
		item.h += header;
		item.title = headTitle(item.group);
		item.w = Math.max(item.w, textWidth(item.title, 12) + 40);
	}
}

const headTitle = (g) => (kernels[g.kernel] ? g.title + " · " + headNote(g) : g.title);

function closedWords(group, c) {
	const words = [headNote(group)], counts = new Map();
	const visit = (g) => g.children.forEach((x) => {
		if (typeof x !== "number") return visit(x);
		const v = columns[c].values[x];
		if (v.x.length) counts.set(v.o, (counts.get(v.o) || 0) + 1);
	});
	visit(group);
	const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([o, n]) => (n > 1 ? n + " " : "") + o);
	if (most.length) words.push(most.join(", "));
	return words;
}

// beside puts the parts of a program side by side; what belongs to none stands above.
function beside(item) {
	const parts = item.items.filter((x) => x.part);
	let x = pad, h = 0;
	for (const p of parts) {
		p.at = [x + p.w / 2, 0];
		x += p.w + 2 * gapX;
		h = Math.max(h, p.h);
	}
	for (const p of parts) p.at[1] = pad + h - p.h / 2;
	item.beside = parts;
	item.w = x - 2 * gapX + pad;
	item.h = h + 2 * pad;
}

function measureNode(n) {
	const v = n.value;
	const source = ["input", "param", "const"].includes(v.r);
	const name = v.n || (v.l.startsWith("∂") ? v.l : "");
	n.name = source ? name || v.l : name ? name + " = " : "";
	n.op = source ? "" : v.o + axisText(v);
	n.chips = n.chips.slice(0, 5);
	let w = textWidth(n.name + n.op, 14, "bold");
	for (const chip of n.chips) {
		chip.text = chip.text.length > 22 ? chip.text.slice(0, 21) + "…" : chip.text;
		chip.tail = chip.axes ? " [" + chip.axes.replace(/[()]/g, "") + "]" : "";
		chip.w = textWidth(chip.text + chip.tail, 11) + 12;
		w += chip.w + 5;
	}
	n.lines = [v.t];
	if (v.b) n.lines.push((v.kept ? "kept for gradient · " : "") + v.b);
	if (n.alone) n.lines.push(n.alone);
	if (v.e) n.lines.push(...wrapText(doc.mistakes[v.e - 1].summary, 44), v.p);
	w = Math.max(w, ...n.lines.map((t) => textWidth(t, 11)));
	n.w = w + 24;
	n.h = 28 + 15 * n.lines.length;
}

// axisText names the axes that a reduction folds.
function axisText(v) {
	const m = v.r === "reduce" && /axes=\[([-\d,]+)\]/.exec(v.a || "");
	return m ? (m[1].includes(",") ? " axes " : " axis ") + m[1] : "";
}

function wrapText(text, width) {
	const rows = [""];
	for (const word of text.split(" ")) {
		if ((rows[rows.length - 1] + word).length > width) rows.push("");
		rows[rows.length - 1] += (rows[rows.length - 1] ? " " : "") + word;
	}
	return rows;
}
