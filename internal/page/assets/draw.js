// Drawing of a picture that has been laid out, and moving about in it.
function renderPicture(c, host) {
	const made = pictureItems(c);
	connect(c, made);
	const root = made.root;
	measure(root, c);
	for (const [, list] of elements[c]) for (let i = list.length - 1; i >= 0; i--) if (list[i].ownerSVGElement) list.splice(i, 1);
	const scene = svg("g");
	const arrows = svg("defs", {}, ...["edge", "stretch", "bad"].map((kind) => svg("marker",
		{ id: "arrow-" + kind, class: "arrow " + kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("path", { d: "M0,0.6 L8,4 L0,7.4 z" }))));
	const view = svg("svg", { class: "picture", role: "img", "aria-label": "picture of " + columns[c].name }, arrows, scene);
	drawInside(root, 0, 0, false, c, scene, () => renderPicture(c, host));
	host.replaceChildren(view);
	moveAbout(view, root.w, root.h, c);
}

function drawInside(item, left, top, up, c, scene, again) {
	if (item.beside) {
		for (const p of item.beside) drawItem(p, left + p.at[0], top + p.at[1], p.group.title === "gradient", c, scene, again);
		return;
	}
	const head = item.group ? header : 0;
	const x0 = left + (item.w - item.placed.w) / 2, y0 = top + pad + head;
	const at = item.placed.nodes.map((m) => [x0 + m.x, y0 + (up ? item.placed.h - m.y : m.y)]);
	for (const { edge, chain } of item.placed.chains) drawEdge(item, edge, chain, at, up, scene);
	item.items.forEach((x, k) => drawItem(x, at[k][0], at[k][1], up, c, scene, again));
}

function drawItem(item, x, y, up, c, scene, again) {
	if (item.value) return drawNode(item, x, y, c, scene);
	const g = svg("g", { class: "frame" + (item.closed ? " card" : "") + (item.group.kernel != null ? " kernel" : ""), "data-group": item.group.key });
	const left = x - item.w / 2, top = y - item.h / 2;
	g.append(svg("rect", { x: left, y: top, width: item.w, height: item.h, rx: 12 }));
	const title = svg("text", { x: left + 12, y: top + (item.closed ? 22 : 17), class: "title" }, (item.closed ? "▸ " : "▾ ") + (item.closed ? item.group.title : item.title));
	title.onclick = () => { pictureFold.set(item.group.key, !item.closed); again(); };
	g.append(title);
	(item.words || []).forEach((t, k) => g.append(svg("text", { x: left + 14, y: top + 40 + 16 * k, class: "line" }, t)));
	scene.append(g);
	if (!item.closed) drawInside(item, left, top, up, c, scene, again);
}

function drawNode(n, x, y, c, scene) {
	const v = n.value, left = x - n.w / 2, top = y - n.h / 2;
	const g = svg("g", { class: "node " + valueClass(v) });
	g.append(svg("title", {}, valueText(columns[c], v) + (v.s ? "\nin " + v.s : "") + (v.p ? "\n" + v.p : "")));
	g.append(svg("rect", { class: "box", x: left, y: top, width: n.w, height: n.h, rx: 10 }));
	let width = textWidth(n.name + n.op, 14, "bold");
	for (const chip of n.chips) width += chip.w + 5;
	let at = x - width / 2;
	const title = svg("text", { x: at, y: top + 19, class: "title" }, svg("tspan", { class: "name" }, n.name), svg("tspan", {}, n.op));
	g.append(title);
	at += textWidth(n.name + n.op, 14, "bold") + 5;
	for (const chip of n.chips) {
		g.append(svg("rect", { class: "chip " + (chip.of ? valueClass(chip.of) : ""), x: at, y: top + 7, width: chip.w, height: 16, rx: 5 }),
			svg("text", { x: at + 6, y: top + 19, class: "chiptext" }, chip.text, ...axisSpans(chip)));
		at += chip.w + 5;
	}
	n.lines.forEach((t, k) => g.append(svg("text", { x, y: top + 35 + 15 * k, class: k === 0 ? "type" : "note" }, t)));
	register(c, n.node, g);
	scene.append(g);
}

// axisSpans prints the axes that a chip's operand meets, with repeated ones marked.
function axisSpans(chip) {
	if (!chip.axes) return [];
	const spans = chip.axes.split(/(\([^)]*\))/).map((part) => (part.startsWith("(") ? svg("tspan", { class: "axes" }, part.slice(1, -1)) : part));
	return [" [", ...spans, "]"];
}

function drawEdge(item, edge, chain, at, up, scene) {
	const a = item.items[edge.from], b = item.items[edge.to], side = up ? -1 : 1;
	const points = chain.map((i) => [...at[i]]);
	points[0][1] += side * a.h / 2;
	points[points.length - 1][1] -= side * (b.h / 2 + 1);
	let d = "M" + points[0];
	for (let k = 1; k < points.length; k++) {
		const [x0, y0] = points[k - 1], [x1, y1] = points[k], m = (y1 - y0) / 2;
		d += ` C${x0},${y0 + m} ${x1},${y1 - m} ${x1},${y1}`;
	}
	const stretch = edge.uses.find((u) => u.chip.axes && b.value);
	const bad = b.value && b.value.e;
	const kind = bad ? "bad" : stretch ? "stretch" : "edge";
	scene.append(svg("path", { class: "way " + kind + (b.value && b.value.d ? " doubt" : ""), d, "marker-end": `url(#arrow-${kind})` }));
	if (stretch && !bad) {
		const [x0, y0] = points[points.length - 2], [x1, y1] = points[points.length - 1];
		const text = svg("text", { x: (x0 + x1) / 2, y: (y0 + y1) / 2 + 3, class: "bead" }, "[");
		for (const part of stretch.chip.axes.split(/(\([^)]*\))/)) text.append(part.startsWith("(") ? svg("tspan", {}, part.slice(1, -1)) : part);
		text.append("]");
		scene.append(text);
	}
}

const views = new Map(); // what of each picture was in view

// moveAbout lets the reader drag and zoom a picture.
function moveAbout(view, w, h, c) {
	const host = view.parentElement.getBoundingClientRect();
	const smallest = 3; // units of the picture to a pixel: smaller text cannot be read
	const fit = Math.min(smallest, Math.max(1, w / Math.max(host.width, 1), Math.min(h / Math.max(host.height, 1), 2.2 * w / Math.max(host.width, 1))));
	let box = views.get(c) || { x: -(host.width * fit - w) / 2, y: -10, z: fit };
	const show = () => {
		views.set(c, box);
		view.setAttribute("viewBox", `${box.x} ${box.y} ${host.width * box.z} ${host.height * box.z}`);
	};
	view.onwheel = (e) => {
		e.preventDefault();
		const z = box.z * Math.exp(e.deltaY * 0.0015), r = view.getBoundingClientRect();
		const px = e.clientX - r.left, py = e.clientY - r.top;
		box = { x: box.x + px * (box.z - z), y: box.y + py * (box.z - z), z };
		show();
	};
	view.onpointerdown = (e) => {
		let moved = false;
		const from = { x: e.clientX, y: e.clientY, box };
		const move = (m) => {
			moved = moved || Math.abs(m.clientX - from.x) + Math.abs(m.clientY - from.y) > 4;
			if (!moved) return;
			box = { x: from.box.x - (m.clientX - from.x) * box.z, y: from.box.y - (m.clientY - from.y) * box.z, z: box.z };
			show();
		};
		const stop = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", stop); };
		addEventListener("pointermove", move);
		addEventListener("pointerup", stop);
	};
	view.showValue = (i) => {
		const list = (elements[c].get(i) || []).filter((e) => e.ownerSVGElement === view);
		if (!list.length) return;
		const r = list[0].getBBox();
		box = { x: r.x + r.width / 2 - host.width * box.z / 2, y: r.y + r.height / 2 - host.height * box.z / 2, z: box.z };
		show();
	};
	show();
}
