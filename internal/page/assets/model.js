// The document and what is derived from it: who uses a value, and where a value of the
// user's graph is in every column.
const doc = JSON.parse(document.getElementById("document").textContent);
const columns = doc.columns;
const kernels = doc.kernels || [];
const last = columns.length - 1;
const partNames = ["forward", "gradient", "update"];

for (const [c, column] of columns.entries()) {
	column.users = column.values.map(() => []);
	column.values.forEach((v, i) => {
		v.x = v.x || [];
		v.c = (c === last && v.c) || 0;
		for (const j of new Set(v.x.map((x) => x.i))) if (j >= 0) column.users[j].push(i);
	});
	column.parts = new Set(column.values.map((v) => v.g || 0)).size;
}

// bySource lists, for each value of the first column, what has become of it.
const bySource = columns[0].values.map(() => []);
columns.forEach((column, c) => column.values.forEach((v, i) => {
	for (const k of v.k || []) bySource[k].push([c, i]);
}));

// related gives all values that came from the same ones as value i of column c.
function related(c, i) {
	const found = new Map();
	for (const k of columns[c].values[i].k || []) {
		for (const [d, j] of bySource[k]) found.set(d + ":" + j, [d, j]);
	}
	found.set(c + ":" + i, [c, i]);
	return [...found.values()];
}

// el makes an element: el("b", {class: "x"}, child, "text").
function el(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [k, v] of Object.entries(attributes || {})) if (v != null) e.setAttribute(k, v);
	e.append(...children.filter((x) => x != null));
	return e;
}

function svg(tag, attributes, ...children) {
	const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [k, v] of Object.entries(attributes || {})) if (v != null) e.setAttribute(k, v);
	e.append(...children.filter((x) => x != null));
	return e;
}

function bytes(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let at = 0;
	for (; n >= 1024 && at < units.length - 1; at++) n /= 1024;
	return (at === 0 || n >= 100 ? n.toFixed(0) : n.toFixed(1).replace(/\.0$/, "")) + " " + units[at];
}

function duration(ns) {
	if (ns < 1e3) return ns.toFixed(0) + " ns";
	if (ns < 1e6) return (ns / 1e3).toFixed(1) + " µs";
	return (ns / 1e6).toFixed(2) + " ms";
}

const count = (n, word) => n.toLocaleString("en-US") + " " + word + (n === 1 ? "" : "s");

// valueText is the line of the text form.
function valueText(column, v) {
	let s = v.l + ":" + v.t + " = " + v.o;
	for (const x of v.x) s += " " + (x.i < 0 ? x.l : column.values[x.i].l) + (x.x ? "<" + x.x + ">" : "");
	return s + (v.a ? " {" + v.a + "}" : "");
}

// Groups: the tree of a column, by parts and scopes or by kernels. A group is a run of
// values that follow one another; its leaves are places in the column.
// Where merged is set, all runs of a scope are one group.
function groupTree(c, by, merged) {
	const column = columns[c];
	const root = { key: c + by, title: "", children: [], count: 0, parent: null };
	const path = (v) => {
		const parts = column.parts > 1 && by !== "kernels" ? [partNames[v.g || 0]] : [];
		if (by === "kernels") return v.c ? kernelPath(v.c - 1) : [];
		return v.s ? parts.concat(v.s.split(".")) : parts;
	};
	const order = by === "kernels" ? kernelOrder(column) : column.values.map((_, i) => i);
	const serial = new Map(), groups = new Map();
	let open = [root];
	for (const i of order) {
		const names = path(column.values[i]);
		let depth = 0;
		while (depth < names.length && depth + 1 < open.length && open[depth + 1].title === names[depth]) depth++;
		open = open.slice(0, depth + 1);
		for (const name of names.slice(depth)) {
			const parent = open[open.length - 1];
			const base = parent.key + "/" + name;
			if (merged && groups.has(base)) {
				open.push(groups.get(base));
				continue;
			}
			serial.set(base, (serial.get(base) || 0) + 1);
			const group = { key: base + "#" + serial.get(base), title: name, children: [], count: 0, parent };
			if (by === "kernels") group.kernel = kernels.findIndex((k) => k.name === name);
			parent.children.push(group);
			groups.set(base, group);
			open.push(group);
		}
		open[open.length - 1].children.push(i);
		for (const g of open) g.count++;
	}
	return root;
}

// kernelPath lists the loops around a kernel, and the kernel: "kernel 3", "kernel 3.1".
function kernelPath(k) {
	const number = kernels[k].name.split(".");
	return number.map((_, depth) => number.slice(0, depth + 1).join("."));
}

// kernelOrder puts the values of a kernel together; what belongs to none comes before
// its first user, and before the loops around that.
function kernelOrder(column) {
	const at = column.values.map((v) => v.c);
	const outermost = (c) => (kernels[c - 1] ? kernels.findIndex((k) => k.name === kernelPath(c - 1)[0]) + 1 : c);
	for (let i = at.length - 1; i >= 0; i--) {
		if (at[i] === 0) at[i] = Math.min(kernels.length + 1, ...column.users[i].map((u) => outermost(at[u]))) - 0.5;
	}
	return at.map((_, i) => i).sort((a, b) => at[a] - at[b] || a - b);
}
