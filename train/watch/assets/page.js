// The page of package watch: it draws what the stream of events tells.
"use strict";

const wide = 400, high = 180, left = 56, right = 8, top_ = 8, bottom = 22;

// make returns an element of SVG.
function make(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

// figure returns a diagram with a caption, and its drawing.
function figure(caption, note, isStrange) {
  const f = document.createElement("figure");
  const c = document.createElement("figcaption");
  c.textContent = caption;
  const small = document.createElement("small");
  small.textContent = " " + note;
  if (isStrange) small.className = "strange";
  c.append(small);
  const svg = make("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": caption + " " + note });
  f.append(c, svg);
  return [f, svg];
}

const short = (v) => v === null ? "not finite" : Number(v.toPrecision(4)).toString();

// axes draws the frame of a diagram and the numbers at its ends.
function axes(svg, x0, x1, y0, y1) {
  svg.append(make("line", { class: "rule", x1: left, x2: left, y1: top_, y2: high - bottom }));
  svg.append(make("line", { class: "rule", x1: left, x2: wide - right, y1: high - bottom, y2: high - bottom }));
  svg.append(make("text", { x: left - 4, y: top_ + 10, "text-anchor": "end" }, short(y1)));
  svg.append(make("text", { x: left - 4, y: high - bottom, "text-anchor": "end" }, short(y0)));
  svg.append(make("text", { x: left, y: high - 6 }, short(x0)));
  svg.append(make("text", { x: wide - right, y: high - 6, "text-anchor": "end" }, short(x1)));
}

// scale maps numbers from low..high to places from..to.
function scale(low, high, from, to) {
  const span = high - low;
  return (v) => span > 0 ? from + (v - low) / span * (to - from) : (from + to) / 2;
}

// diagram draws the curves of one name.
function diagram(name, curves) {
  const last = curves[curves.length - 1].values.at(-1);
  const [f, svg] = figure(name, short(last), last === null);
  const steps = curves.flatMap((c) => c.steps);
  const values = curves.flatMap((c) => c.values).filter((v) => v !== null);
  if (values.length === 0) return f;
  const [x0, x1, y0, y1] = [Math.min(...steps), Math.max(...steps), Math.min(...values), Math.max(...values)];
  const [x, y] = [scale(x0, x1, left, wide - right), scale(y0, y1, high - bottom, top_)];
  axes(svg, x0, x1, y0, y1);
  for (const c of curves) {
    let path = "", begins = true;
    c.steps.forEach((step, i) => {
      const v = c.values[i];
      if (v === null) { begins = true; return; }
      path += `${begins ? "M" : "L"}${x(step).toFixed(1)} ${y(v).toFixed(1)}`;
      begins = false;
      if (c.perEpoch) svg.append(make("circle", { class: "dot", cx: x(step), cy: y(v), r: 2.5 }));
    });
    svg.append(make("path", { class: c.perEpoch ? "epoch" : "step", d: path }));
  }
  return f;
}

// bars draws a histogram.
function bars(h) {
  const note = h.strange > 0 ? `${h.strange} of ${h.elements} are not finite` : `${h.elements} elements`;
  const [f, svg] = figure(h.name, note, h.strange > 0);
  if (h.counts.length === 0) return f;
  const most = Math.max(...h.counts, 1), step = (wide - left - right) / h.counts.length;
  axes(svg, h.low, h.high, 0, most);
  h.counts.forEach((count, i) => {
    const tall = count / most * (high - bottom - top_);
    svg.append(make("rect", { class: "bar", x: left + i * step, y: high - bottom - tall, width: Math.max(step - 1, 1), height: tall }));
  });
  return f;
}

// show draws everything anew.
function show(state) {
  document.getElementById("status").textContent = state.step === 0 ? "waiting for the first step" : `epoch ${state.epoch + 1}, step ${state.step}`;
  const byName = new Map();
  for (const c of state.curves) byName.set(c.name, [...(byName.get(c.name) ?? []), c]);
  document.getElementById("curves").replaceChildren(...[...byName].map(([name, curves]) => diagram(name, curves)));
  document.getElementById("histograms").replaceChildren(...(state.histograms ?? []).map(bars));
}

const events = new EventSource("events");
events.onmessage = (e) => show(JSON.parse(e.data));
events.onerror = () => { document.getElementById("status").textContent = "the training does not answer; what follows is the last that it told"; };
