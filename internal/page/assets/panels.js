// The panels beside columns and pictures: kernels, memory over time, mistakes.
function renderKernels(host) {
	const column = columns[last];
	const labels = (list) => {
		const e = el("td", { class: "values" });
		for (const i of list) e.append(valueLink(last, i), " ");
		return e;
	};
	const timed = kernels.some((k) => k.nanos);
	const total = kernels.reduce((t, k) => t + (k.inner ? 0 : k.nanos || 0), 0);
	const body = el("tbody");
	kernels.forEach((k, n) => {
		const row = el("tr", { class: "kernelrow", "data-kernel": n },
			el("td", null, el("b", null, k.name)), el("td", null, k.class === "elementwise" ? "fused" : k.class),
			el("td", { class: "n" }, String(k.values.length)), el("td", null, k.domain || ""), labels(k.reads), labels(k.writes),
			el("td", { class: "n" }, k.moved ? bytes(k.moved) : ""), el("td", { class: "n" }, k.unfused > k.moved ? bytes(k.unfused) : ""));
		if (timed) {
			row.append(el("td", { class: "n" }, k.nanos ? duration(k.nanos) : ""), el("td", { class: "n" }, k.nanos && k.moved ? (k.moved / k.nanos).toFixed(2) : ""),
				el("td", null, bar(k.nanos / total)));
		}
		const inside = el("div");
		inside.append(...k.values.map((i) => line(last, i)));
		for (const p of k.programs || []) inside.append(el("pre", { class: "program" }, p));
		const more = el("tr", { class: "inside", hidden: "" }, el("td", { colspan: timed ? 11 : 8 }, inside));
		row.onclick = (e) => { if (!e.target.closest(".v, .link")) more.hidden = !more.hidden; };
		body.append(row, more);
	});
	const names = ["kernel", "kind", "ops", "over", "reads", "writes", "moved", "unfused"].concat(timed ? ["time", "GB/s", "share"] : []);
	host.append(el("p", { class: "doc" }, "Click a kernel for its values and its row program. Moved: each operand read once, each result written once" +
		(doc.memory && doc.memory.sizes ? ", at " + doc.memory.sizes : "") + "."),
		el("table", { class: "kernels" }, el("thead", null, el("tr", null, ...names.map((n) => el("th", null, n)))), body));
}

function bar(share) {
	const e = el("span", { class: "bar" });
	e.style.setProperty("--share", (100 * (share || 0)).toFixed(1) + "%");
	return e;
}

function valueLink(c, i) {
	const e = el("a", { class: "link", href: "#" }, columns[c].values[i].l);
	register(c, i, e);
	return e;
}

// renderMemory draws each buffer of the arena as a bar from its first kernel to its last,
// at its place in the arena.
function renderMemory(host) {
	const m = doc.memory, arena = m.buffers.map((b, k) => ({ ...b, k })).filter((b) => b.owner === "arena");
	const rest = m.buffers.filter((b) => b.owner !== "arena");
	const sum = (owner) => rest.filter((b) => b.owner === owner).reduce((t, b) => t + b.bytes, 0);
	host.append(el("p", { class: "doc" }, `Arena: ${bytes(m.arena)} for ${count(arena.length, "buffer")}` +
		(m.sizes ? ", at " + m.sizes : "") + `. Beside it: inputs ${bytes(sum("input"))}, parameters ${bytes(sum("param"))}, constants ${bytes(sum("const"))}.` +
		" Across: kernels in the order in which they run. Up: the place in the arena."));
	const left = 70, top = 20, high = 420, wide = Math.max(960, Math.min(2400, m.kernels * 26));
	const x = (k) => left + (wide * k) / Math.max(m.kernels, 1), y = (o) => top + high - (high * o) / Math.max(m.arena, 1);
	const chart = svg("svg", { class: "memory", width: left + wide + 30, height: high + 70, role: "img", "aria-label": "memory over time" });
	for (let k = 0; k <= 4; k++) {
		const o = (m.arena * k) / 4;
		chart.append(svg("line", { class: "grid", x1: left, x2: left + wide, y1: y(o), y2: y(o) }), svg("text", { x: left - 8, y: y(o) + 4, class: "axis end" }, bytes(Math.round(o))));
	}
	const step = Math.ceil(m.kernels / 30);
	for (let k = 0; k < m.kernels; k += step) chart.append(svg("text", { x: x(k + 0.5), y: top + high + 18, class: "axis" }, String(k)));
	chart.append(svg("text", { x: left + wide / 2, y: top + high + 40, class: "axis" }, "kernel"));
	for (const b of arena) {
		const until = Math.min(b.last + 1, m.kernels), width = Math.max(x(until) - x(b.first), 3), height = Math.max(y(b.offset) - y(b.offset + b.bytes), 1.5);
		const v = columns[last].values[b.value];
		const g = svg("g", { class: "bufferbar " + valueClass(v), "data-buffer": b.k, "data-bytes": b.bytes, "data-offset": b.offset, "data-first": b.first, "data-last": b.last },
			svg("title", {}, `${b.name}: ${b.type}, ${bytes(b.bytes)} at ${b.offset}, kernels ${b.first} to ${b.last}` + (b.inplace >= 0 ? ", in place over " + m.buffers[b.inplace].name : "")),
			svg("rect", { x: x(b.first), y: y(b.offset + b.bytes), width, height, rx: Math.min(4, height / 3) }));
		if (height > 13 && width > textWidth(b.name, 11) + 8) g.append(svg("text", { x: x(b.first) + 5, y: y(b.offset + b.bytes / 2) + 4 }, b.name));
		register(last, b.value, g);
		chart.append(g);
	}
	const live = [];
	for (let k = 0; k < m.kernels; k++) {
		const seen = new Map();
		for (const b of arena) if (b.first <= k && k <= b.last) seen.set(b.offset, Math.max(seen.get(b.offset) || 0, b.bytes));
		const total = [...seen.values()].reduce((s, n) => s + n, 0);
		live.push(`${x(k)},${y(total)} ${x(k + 1)},${y(total)}`);
	}
	chart.append(svg("polyline", { class: "live", points: live.join(" ") }, svg("title", {}, "bytes that hold live values")));
	host.append(chart);
}

function renderMistakes(host) {
	if (doc.report) host.append(el("p", { class: "doc" }, doc.report));
	doc.mistakes.forEach((m, k) => {
		const head = el("h3", { class: m.warning ? "warning" : "error" }, m.code + " ", m.value >= 0 ? valueLink(0, m.value) : "");
		const v = m.value >= 0 ? columns[0].values[m.value] : null;
		const where = v && v.f ? el("a", { class: "source", href: "file://" + v.f, title: v.f }, m.pos) : el("span", { class: "source" }, m.pos);
		host.append(el("article", { "data-mistake": k }, head, where, el("pre", null, m.text)));
	});
}
