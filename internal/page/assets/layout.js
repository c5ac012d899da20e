// A layered layout of one level of a picture: boxes of given sizes, edges between them.
// Ranks by longest paths, order by barycentres, places by least squares under the order.
const gapX = 22, gapY = 34, longest = 3;

// rankLevel gives each of n boxes a row. Edges that would run backwards, and long ones,
// are marked as chips: {from, to, chip}.
function rankLevel(n, edges) {
	const into = Array.from({ length: n }, () => []), out = Array.from({ length: n }, () => []);
	for (const e of edges) { into[e.to].push(e); out[e.from].push(e); }
	const rank = new Array(n).fill(0), waits = into.map((l) => l.length), done = new Array(n).fill(false);
	let ready = waits.map((w, i) => (w === 0 ? i : -1)).filter((i) => i >= 0);
	for (let left = n; left > 0;) {
		if (ready.length === 0) { // a cycle of groups that are left and entered again
			const i = done.indexOf(false);
			for (const e of into[i]) if (!done[e.from]) e.chip = true;
			ready = [i];
			waits[i] = 0;
		}
		const i = ready.pop();
		if (done[i]) continue;
		done[i] = true;
		left--;
		for (const e of out[i]) {
			if (e.chip) continue;
			rank[e.to] = Math.max(rank[e.to], rank[i] + 1);
			if (--waits[e.to] === 0) ready.push(e.to);
		}
	}
	// What is computed from nothing stands right above its first user.
	for (let i = 0; i < n; i++) {
		const live = out[i].filter((e) => !e.chip);
		if (into[i].every((e) => e.chip) && live.length) rank[i] = Math.min(...live.map((e) => rank[e.to])) - 1;
	}
	for (const e of edges) if (rank[e.to] - rank[e.from] > longest) e.chip = true;
	return rank;
}

// placeLevel gives the centres of boxes and the ways of edges that are no chips.
function placeLevel(sizes, edges, rank) {
	const rows = [], nodes = sizes.map((s, i) => ({ w: s.w, h: s.h, row: rank[i], up: [], down: [] }));
	const chains = [];
	for (const e of edges) {
		if (e.chip) continue;
		const chain = [e.from];
		for (let r = rank[e.from] + 1; r < rank[e.to]; r++) {
			chain.push(nodes.length);
			nodes.push({ w: 6, h: 0, row: r, up: [], down: [], dummy: true });
		}
		chain.push(e.to);
		for (let k = 1; k < chain.length; k++) {
			nodes[chain[k - 1]].down.push(chain[k]);
			nodes[chain[k]].up.push(chain[k - 1]);
		}
		chains.push({ edge: e, chain });
	}
	nodes.forEach((m, i) => (rows[m.row] = rows[m.row] || []).push(i));
	for (let r = 0; r < rows.length; r++) rows[r] = rows[r] || [];
	orderRows(nodes, rows);
	placeRows(nodes, rows);
	let y = 0;
	for (const row of rows) {
		const h = Math.max(0, ...row.map((i) => nodes[i].h));
		for (const i of row) nodes[i].y = y + h / 2;
		y += h + gapY;
	}
	let left = Infinity, right = -Infinity;
	for (const m of nodes) { left = Math.min(left, m.x - m.w / 2); right = Math.max(right, m.x + m.w / 2); }
	for (const m of nodes) m.x -= left;
	return { nodes, chains, w: Math.max(0, right - left), h: Math.max(0, y - gapY) };
}

// orderRows sorts each row by the mean place of its neighbours, back and forth.
function orderRows(nodes, rows) {
	const at = [];
	const note = () => rows.forEach((row) => row.forEach((i, k) => { at[i] = k; }));
	note();
	let best = null, fewest = Infinity;
	for (let sweep = 0; sweep < 12; sweep++) {
		const side = sweep % 2 ? "down" : "up";
		for (const row of sweep % 2 ? [...rows].reverse() : rows) {
			const key = new Map(row.map((i) => [i, nodes[i][side].length ? mean(nodes[i][side].map((j) => at[j])) : at[i]]));
			row.sort((a, b) => key.get(a) - key.get(b) || at[a] - at[b]);
			row.forEach((i, k) => { at[i] = k; });
		}
		const c = crossings(nodes, rows, at);
		if (c < fewest) { fewest = c; best = rows.map((row) => [...row]); }
		if (c === 0) break;
	}
	best.forEach((row, r) => { rows[r] = row; });
}

function crossings(nodes, rows, at) {
	let total = 0;
	for (const row of rows) {
		const ends = [];
		for (const i of row) for (const j of nodes[i].down) ends.push([at[i], at[j]]);
		if (ends.length > 300) continue;
		for (let a = 0; a < ends.length; a++) {
			for (let b = a + 1; b < ends.length; b++) {
				if ((ends[a][0] - ends[b][0]) * (ends[a][1] - ends[b][1]) < 0) total++;
			}
		}
	}
	return total;
}

const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

// placeRows moves boxes to the mean of their neighbours, keeping order and gaps: least
// squares under these bounds, which pooling neighbours solves exactly.
function placeRows(nodes, rows) {
	for (const row of rows) {
		let x = 0;
		for (const i of row) { nodes[i].x = x + nodes[i].w / 2; x += nodes[i].w + gapX; }
	}
	for (let sweep = 0; sweep < 14; sweep++) {
		const down = sweep % 2 === 0;
		for (const row of down ? rows : [...rows].reverse()) {
			const want = row.map((i) => {
				const side = down ? nodes[i].up : nodes[i].down, other = down ? nodes[i].down : nodes[i].up;
				const near = side.length ? side : other;
				return near.length ? mean(near.map((j) => nodes[j].x)) : nodes[i].x;
			});
			pack(nodes, row, want);
		}
	}
	closeUp(nodes, rows);
}

// closeUp moves what hangs together to the left, as far as its neighbours let it.
function closeUp(nodes, rows) {
	const of = new Array(nodes.length).fill(-1), parts = [];
	nodes.forEach((_, i) => {
		if (of[i] >= 0) return;
		const part = [i];
		of[i] = parts.length;
		for (let k = 0; k < part.length; k++) {
			for (const j of [...nodes[part[k]].up, ...nodes[part[k]].down]) if (of[j] < 0) { of[j] = parts.length; part.push(j); }
		}
		parts.push(part);
	});
	const left = (part) => Math.min(...part.map((i) => nodes[i].x - nodes[i].w / 2));
	const right = rows.map(() => -Infinity); // of what has been placed
	let start = 0;
	for (const part of parts.sort((a, b) => left(a) - left(b))) {
		let shift = Infinity;
		for (const i of part) shift = Math.min(shift, nodes[i].x - nodes[i].w / 2 - gapX - right[nodes[i].row]);
		shift = Math.min(shift, left(part) - start); // never left of the first
		if (part === parts[0]) { shift = 0; start = left(part); }
		for (const i of part) nodes[i].x -= Math.max(shift, 0);
		for (const i of part) right[nodes[i].row] = Math.max(right[nodes[i].row], nodes[i].x + nodes[i].w / 2);
	}
}

function pack(nodes, row, want) {
	const blocks = [];
	let offset = 0;
	row.forEach((i, k) => {
		if (k > 0) offset += (nodes[row[k - 1]].w + nodes[i].w) / 2 + gapX;
		const weight = nodes[i].dummy ? 3 : 1;
		let b = { sum: (want[k] - offset) * weight, weight, members: [[i, offset]] };
		while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight > b.sum / b.weight) {
			const a = blocks.pop();
			b = { sum: a.sum + b.sum, weight: a.weight + b.weight, members: a.members.concat(b.members) };
		}
		blocks.push(b);
	});
	for (const b of blocks) for (const [i, o] of b.members) nodes[i].x = b.sum / b.weight + o;
}
