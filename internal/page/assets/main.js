// The frame of the page: views, search, and lighting up the same value everywhere.
const lit = new Map(); // colour by source
const colours = 6;
let nextColour = 0;

// paint gives an element the colour of what it shows, if it is lit.
function paint(c, i, element) {
	for (let k = 0; k < colours; k++) element.classList.remove("lit" + k);
	for (const k of columns[c].values[i].k || []) {
		if (lit.has(k)) return element.classList.add("lit" + lit.get(k));
	}
}

function toggle(c, i) {
	const sources = columns[c].values[i].k || [];
	if (sources.some((k) => lit.has(k))) sources.forEach((k) => lit.delete(k));
	else {
		sources.forEach((k) => lit.set(k, nextColour));
		nextColour = (nextColour + 1) % colours;
	}
	for (const [d, j] of related(c, i)) for (const e of elements[d].get(j) || []) paint(d, j, e);
}

function hover(c, i, on) {
	const mark = (j, name) => { for (const e of elements[c].get(j) || []) e.classList.toggle(name, on); };
	const v = columns[c].values[i];
	mark(i, "here");
	for (const x of v.x) if (x.i >= 0) mark(x.i, "operand");
	for (const u of columns[c].users[i]) mark(u, "user");
	if (on) tell(c, i);
}

// tell shows all that is known of a value at the foot of the page.
function tell(c, i) {
	const column = columns[c], v = column.values[i];
	const list = (title, all) => (all.length ? el("span", null, el("i", null, " " + title + " "), all.slice(0, 12).map((j) => column.values[j].l).join(", ") + (all.length > 12 ? ", …" : "")) : null);
	const words = [v.s && "in " + v.s, v.b, v.kept && "kept for gradient", v.c && "kernel " + (v.c - 1), v.out && "output"].filter(Boolean);
	foot.replaceChildren(...[el("b", null, valueText(column, v)), list("operands", v.x.map((x) => x.i).filter((x) => x >= 0)), list("users", column.users[i]),
		words.length ? el("span", null, " · " + words.join(" · ")) : null,
		v.f ? el("a", { class: "source", href: "file://" + v.f, title: v.f }, " " + v.p) : null].filter(Boolean));
}

const foot = el("footer", { id: "foot" }, "Click a value to light it up in all columns; hover for its operands and users; / searches.");
const tabs = el("nav", { role: "tablist" });
const box = el("input", { id: "search", type: "search", placeholder: "search: name, operation, shape, file", "aria-label": "search" });
const found = el("span", { id: "found" });
const main = el("main");
const panels = new Map();

function panel(name, title, render) {
	const button = el("button", { role: "tab", "data-tab": name }, title);
	const host = el("div", { class: "panel", id: "panel-" + name, role: "tabpanel", hidden: "" });
	button.onclick = () => show(name);
	tabs.append(button);
	main.append(host);
	panels.set(name, { host, button, render, done: false });
}

function show(name) {
	for (const [other, p] of panels) {
		p.host.hidden = other !== name;
		p.button.setAttribute("aria-selected", String(other === name));
	}
	const p = panels.get(name);
	if (!p.done) { p.done = true; p.render(p.host); }
}

function renderPictures(host) {
	const bar = el("div", { class: "choices" }), area = el("div", { class: "area" });
	columns.forEach((column, c) => {
		const b = el("button", { "data-picture": column.name }, column.name);
		b.onclick = () => {
			for (const x of bar.children) x.classList.toggle("on", x === b);
			area.dataset.column = c;
			renderPicture(c, area);
		};
		bar.append(b);
	});
	const foldAll = (on) => () => {
		const c = Number(area.dataset.column);
		const visit = (g) => g.children.forEach((x) => { if (typeof x !== "number") { if (!partNames.includes(x.title)) pictureFold.set(x.key, on); visit(x); } });
		visit(groupTree(c, pictureGroups(c), true));
		views.delete(c);
		renderPicture(c, area);
	};
	const fold = el("button", { id: "foldall" }, "fold all"), unfold = el("button", { id: "unfoldall" }, "unfold all");
	fold.onclick = foldAll(true);
	unfold.onclick = foldAll(false);
	const legend = el("span", { class: "legend" });
	for (const [name, text] of [["r-input", "input"], ["r-param", "parameter"], ["out", "output"], ["kept", "kept for gradient"], ["stored", "written to memory"], ["r-reduce", "reduction"]]) {
		legend.append(el("span", { class: "swatch " + name }), text + " ");
	}
	legend.append(el("b", { class: "stretched" }, "32"), " axis stretched by broadcasting");
	host.append(bar, area, legend);
	bar.append(fold, unfold);
	bar.children[doc.mistakes && !kernels.length ? 0 : last].onclick();
}

// search finds values by any word of their line, scope or place.
let hits = [], hit = -1;
function search(text) {
	for (const [c, i] of hits) for (const e of elements[c].get(i) || []) e.classList.remove("hit", "hitnow");
	hits = [];
	hit = -1;
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length) {
		columns.forEach((column, c) => column.values.forEach((v, i) => {
			const all = (valueText(column, v) + " " + (v.s || "") + " " + (v.p || "")).toLowerCase();
			if (words.every((w) => all.includes(w))) hits.push([c, i]);
		}));
		for (const [c, i] of hits) for (const e of elements[c].get(i) || []) e.classList.add("hit");
	}
	found.textContent = words.length ? count(hits.length, "match").replace("matchs", "matches") : "";
}

// nextHit unfolds what hides the next match and brings it into view.
function nextHit(step) {
	if (!hits.length) return;
	if (hit >= 0) for (const e of elements[hits[hit][0]].get(hits[hit][1]) || []) e.classList.remove("hitnow");
	hit = (hit + step + hits.length) % hits.length;
	const [c, i] = hits[hit];
	reveal(c, i);
	for (const e of elements[c].get(i) || []) {
		e.classList.add("hit", "hitnow");
		if (!e.ownerSVGElement && e.offsetParent) e.scrollIntoView({ block: "center" });
	}
	const picture = document.querySelector("#panel-picture:not([hidden]) .area");
	if (picture && Number(picture.dataset.column) === c) picture.firstChild.showValue(i);
	found.textContent = `${hit + 1} of ${hits.length}`;
	tell(c, i);
}

// reveal unfolds the groups of a column that hold a value.
function reveal(c, i) {
	const column = document.querySelectorAll("#panel-columns .column")[c];
	if (!column) return;
	const path = [];
	const find = (g) => g.children.some((x) => (x === i || (typeof x !== "number" && find(x))) && (path.unshift(g.key), true));
	find(groupTree(c, c === last && kernels.length ? "kernels" : "scopes"));
	for (const key of path) {
		for (const e of column.querySelectorAll(".group")) if (e.dataset.group === key) e.reveal();
	}
	for (let more; !(elements[c].get(i) || []).some((e) => column.contains(e)) && (more = column.querySelector(".more"));) more.click();
}

panel("columns", "passes", (host) => host.append(...columns.map((_, c) => renderColumn(c)), ...(kernels.length && doc.memory ? [renderPlan()] : [])));
panel("picture", "picture", renderPictures);
if (kernels.length) panel("kernels", "kernels", renderKernels);
if (doc.memory) panel("memory", "memory", renderMemory);
if (doc.mistakes) panel("mistakes", count(doc.mistakes.length, "finding"), renderMistakes);

const look = document.documentElement.dataset;
look.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const theme = el("button", { id: "theme", title: "light or dark" }, "light / dark");
theme.onclick = () => { look.theme = look.theme === "dark" ? "light" : "dark"; };
document.body.append(el("header", null, el("h1", null, doc.title || "program"), tabs, box, found, theme),
	...(doc.notes || []).map((n) => el("p", { class: "notes" }, n)), main, foot);

box.oninput = () => search(box.value);
box.onkeydown = (e) => { if (e.key === "Enter") nextHit(e.shiftKey ? -1 : 1); };
addEventListener("keydown", (e) => {
	if (e.key === "/" && e.target !== box) { e.preventDefault(); box.focus(); }
	if (e.key === "Escape") { box.value = ""; search(""); box.blur(); }
});
const shown = (e) => { const t = e.target.closest && e.target.closest("[data-i]"); return t ? [Number(t.dataset.c), Number(t.dataset.i)] : null; };
main.addEventListener("mouseover", (e) => { const v = shown(e); if (v) hover(...v, true); });
main.addEventListener("mouseout", (e) => { const v = shown(e); if (v) hover(...v, false); });
main.addEventListener("click", (e) => {
	const v = shown(e);
	if (!v) return;
	if (e.target.closest("a.link")) e.preventDefault();
	const to = e.target.dataset.to;
	toggle(v[0], to != null ? Number(to) : v[1]);
});
show(doc.mistakes && doc.mistakes.some((m) => !m.warning) ? "mistakes" : "columns");
