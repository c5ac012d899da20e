// Columns of text: a line for each value, grouped by scopes or by kernels.
const many = 400; // lines past which groups begin folded
const folded = new Map(); // by a group's key, where the reader has chosen
const elements = columns.map(() => new Map()); // by column and value: elements that show it

function register(c, i, element) {
	element.dataset.c = c;
	element.dataset.i = i;
	if (!elements[c].has(i)) elements[c].set(i, []);
	elements[c].get(i).push(element);
	paint(c, i, element);
}

const isFolded = (group, c) => (folded.has(group.key) ? folded.get(group.key) : columns[c].values.length > many && group.title !== "" && !partNames.includes(group.title));

function renderColumn(c) {
	const column = columns[c];
	const tree = groupTree(c, c === last && kernels.length ? "kernels" : "scopes");
	const body = el("div", { class: "lines" });
	fill(body, tree, c);
	const box = el("section", { class: "column", "data-column": column.name },
		el("h2", { title: "click to fold the column" }, column.name, el("small", null, count(column.values.length, "value"))),
		el("p", { class: "doc" }, column.doc + (column.passes ? " — passes: " + column.passes.join(", ") : "")), body);
	box.querySelector("h2").onclick = () => box.classList.toggle("narrow");
	return box;
}

// fill shows a group's children, in pieces where there are very many.
function fill(body, group, c, from = 0) {
	const until = Math.min(group.children.length, from + 2 * many);
	for (const child of group.children.slice(from, until)) {
		body.append(typeof child === "number" ? line(c, child) : section(c, child));
	}
	if (until < group.children.length) {
		const more = el("button", { class: "more" }, count(group.children.length - until, "more line"));
		more.onclick = () => { more.remove(); fill(body, group, c, until); };
		body.append(more);
	}
}

function section(c, group) {
	const body = el("div", { class: "body" });
	const head = el("div", { class: "head", tabindex: "0", role: "button" }, el("span", { class: "mark" }), el("b", null, group.title), el("small", null, headNote(group)));
	const box = el("div", { class: "group" + (group.kernel != null ? " kernel" : ""), "data-group": group.key }, head, body);
	const show = () => {
		const closed = isFolded(group, c);
		box.classList.toggle("closed", closed);
		head.setAttribute("aria-expanded", String(!closed));
		if (!closed && !body.firstChild) fill(body, group, c);
	};
	head.onclick = () => { folded.set(group.key, !isFolded(group, c)); show(); };
	head.onkeydown = (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); head.onclick(); } };
	box.reveal = () => { if (isFolded(group, c)) head.onclick(); };
	show();
	return box;
}

function headNote(group) {
	const k = kernels[group.kernel];
	if (!k) return count(group.count, "value");
	const words = [count(k.values.length, "op")];
	if (k.domain) words.push("over " + k.domain);
	if (k.moved) words.push(bytes(k.moved) + " moved" + (k.unfused > k.moved ? ", " + bytes(k.unfused) + " unfused" : ""));
	if (k.nanos) words.push(duration(k.nanos));
	return words.join(" · ");
}

function line(c, i) {
	const column = columns[c], v = column.values[i];
	const e = el("div", { class: "v " + valueClass(v), title: v.s ? "in " + v.s : "" },
		el("b", { class: "label" }, v.l), el("span", { class: "type" }, ":" + v.t), " = ", el("span", { class: "op" }, v.o));
	for (const x of v.x) {
		e.append(" ", x.i < 0 ? x.l : el("span", { class: "x", "data-to": x.i }, column.values[x.i].l));
		if (x.x) e.append(axes(x.x));
	}
	if (v.a) e.append(el("span", { class: "note" }, " {" + v.a + "}"));
	if (v.b) e.append(el("span", { class: "buffer" }, " → " + v.b + (v.kept ? ", kept" : "")));
	if (v.e) e.append(el("span", { class: "wrong" }, " " + doc.mistakes[v.e - 1].summary));
	if (v.p) e.append(el("span", { class: "pos" }, " # " + v.p));
	register(c, i, e);
	return e;
}

// axes prints "(32),128" with repeated axes marked.
function axes(text) {
	const e = el("span", { class: "axes" }, "[");
	for (const part of text.split(/(\([^)]*\))/)) {
		e.append(part.startsWith("(") ? el("b", null, part.slice(1, -1)) : part);
	}
	e.append("]");
	return e;
}

function valueClass(v) {
	const words = ["r-" + (v.r || "plain")];
	if (v.out) words.push("out");
	if (v.kept) words.push("kept");
	else if (v.w) words.push("stored");
	if (v.e) words.push("bad");
	else if (v.d) words.push("doubt");
	return words.join(" ");
}

// renderPlan is the last column: what each kernel reads and writes, where results lie,
// and which buffers are free afterwards.
function renderPlan() {
	const column = columns[last], buffers = doc.memory.buffers;
	const of = new Map(buffers.map((b) => [b.value, b]));
	const body = el("div", { class: "lines" });
	let at = -1; // of the plan's kernels
	kernels.forEach((k, n) => {
		if (!k.inner) at++;
		const inside = el("div", { class: "body" });
		const row = (word, i, note) => {
			const v = column.values[i];
			const e = el("div", { class: "v " + valueClass(v) }, el("span", { class: "pos" }, word + " "), el("b", null, v.l), el("span", { class: "type" }, ":" + v.t), el("span", { class: "buffer" }, note));
			register(last, i, e);
			inside.append(e);
		};
		const size = (b) => (b && b.bytes ? ", " + bytes(b.bytes) : "");
		const place = (i) => {
			const b = of.get(i), v = column.values[i];
			return b && b.owner !== "arena" ? " " + b.owner + size(b) : v.b ? " " + v.b + size(b) : "";
		};
		for (const i of k.reads) row("reads ", i, place(i));
		for (const i of k.writes) row("writes", i, " →" + (place(i) || " in place"));
		for (const b of buffers) {
			if (!k.inner && b.owner === "arena" && b.last === at && !buffers.some((o) => o.inplace >= 0 && buffers[o.inplace] === b)) row("frees ", b.value, "");
		}
		body.append(el("div", { class: "group kernel" }, el("div", { class: "head" }, el("b", null, k.name), el("small", null, headNote({ kernel: n }))), inside));
	});
	const box = el("section", { class: "column", "data-column": "planned" }, el("h2", { title: "click to fold the column" }, "planned", el("small", null, count(kernels.length, "kernel"))),
		el("p", { class: "doc" }, `buffers of what kernels exchange — arena ${bytes(doc.memory.arena)}` + (doc.memory.sizes ? ` at ${doc.memory.sizes}` : "")), body);
	box.querySelector("h2").onclick = () => box.classList.toggle("narrow");
	return box;
}
