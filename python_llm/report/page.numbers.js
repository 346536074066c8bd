// Numbers beside the points of a chart, and the key that names them.
const MOST_NUMBERED = 12;  // points; more numbers would be a crowd
const MERGED = 11;  // pixels; points that are closer share a label
const LETTER = 7, LINE = 15;  // of a label, in pixels
const RADII = [15, 22, 30, 40, 52, 66, 82, 100], ANGLES = 16;

// the best, and the chosen one wherever it stands; a number is a place among all that were asked
function numberedRows(rows, asked) {
  const place = new Map(asked.map((row, i) => [row.id, i + 1]));
  return rows.map((row) => ({ row, n: place.get(row.id) }))
    .filter(({ row }, i) => i < MOST_NUMBERED || row.id === state.configuration);
}

const boxesMeet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// points with less than MERGED pixels between them, as one spot with all their numbers
function spots(points) {
  const groups = [];
  for (const point of points) {
    const near = groups.find(({ x, y }) => Math.hypot(x - point.x, y - point.y) < MERGED);
    if (near) near.members.push(point);
    else groups.push({ x: point.x, y: point.y, members: [point] });
  }
  return groups;
}

// the nearest place for a label that covers no point, no text of the chart and no other label
function freePlace(spot, long, taken, width, depth) {
  for (const radius of RADII) for (let turn = 0; turn < ANGLES; turn++) {
    const angle = -Math.PI / 4 + (turn * 2 * Math.PI) / ANGLES;
    const right = (radius + long / 2 - LETTER) * Math.cos(angle), down = radius * Math.sin(angle);
    const [x, y] = [spot.x + right, spot.y + down];
    const box = [x - long / 2, y - LINE / 2, x + long / 2, y + LINE / 2];
    const isInside = box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= depth;
    if (isInside && !taken.some((other) => boxesMeet(box, other))) return { right, down, box };
  }
  return null;
}

// Annotations that number the points of a chart. `points`: x and y of the data, n, or null for a
// point that only takes room, and the lines of its intervals; `texts`: other annotations, in the way
// of the numbers.
function numbers(id, layout, points, texts = []) {
  const margin = { ...MARGIN, ...layout.margin };
  showPanel(id, true);  // what is hidden has no width
  const width = byId(id).clientWidth - margin.l - margin.r;
  const depth = layout.height - margin.t - margin.b;
  const [left, right] = layout.xaxis.range, [low, high] = layout.yaxis.range;
  const toPixels = ({ x, y }) => ({
    x: ((x - left) / (right - left)) * width, y: ((high - y) / (high - low)) * depth,
  });
  const placed = points.map((point) => ({ ...point, ...toPixels(point), at: point }));
  const taken = placed.map(({ x, y, r = 6 }) => [x - r, y - r, x + r, y + r]);
  for (const { at: { lines = [] } } of placed) for (const [from, to] of lines) {
    const [a, b] = [toPixels(from), toPixels(to)];
    taken.push([Math.min(a.x, b.x) - 1, Math.min(a.y, b.y) - 1, Math.max(a.x, b.x) + 1, Math.max(a.y, b.y) + 1]);
  }
  for (const text of texts) taken.push(boxOfText(text, toPixels(text)));
  return spots(placed.filter(({ n }) => n !== null)).map((spot) => {
    const text = spot.members.map(({ n }) => n).sort((a, b) => a - b).join(", ");
    const long = LETTER * text.length + 6;
    const free = freePlace(spot, long, taken, width, depth);
    if (free) taken.push(free.box);
    const { right: ax, down: ay } = free ?? { right: 0, down: -RADII[0] };
    return {
      x: spot.members[0].at.x, y: spot.members[0].at.y, ax, ay, text, name: "number",
      showarrow: true, arrowhead: 0, arrowwidth: 1, arrowcolor: SOFT, standoff: 5,
      font: { size: 12, color: INK }, bgcolor: PAPER, borderpad: 0,
    };
  });
}

// the intervals of a point of a chart, each from its low to its high end
function linesOf(row, ofX, ofY) {
  const [x, y] = [row[ofX], row[ofY]];
  const ends = (metric, at) => [row[metric + "_low"] ?? at, row[metric + "_high"] ?? at];
  const across = ofX.endsWith("_aggregate") ? [ends(ofX, x).map((end) => ({ x: end, y }))] : [];
  return [...across, ends(ofY, y).map((end) => ({ x, y: end }))];
}

// of an annotation without an arrow: about 6 pixels a letter of its longest line
function boxOfText(text, { x, y }) {
  const lines = text.text.split("<br>"), tall = 14 * lines.length + 4;
  const long = 6 * Math.max(...lines.map((line) => line.length));
  const from = text.xanchor === "right" ? x - long : x, top = text.yanchor === "top" ? y : y - tall;
  return [from, top, from + long, top + tall];
}

// the names of the numbers, below a chart; a click chooses a configuration
function showKey(id, numbered, n) {
  const items = numbered.map(({ row, n: place }) =>
    `<li><button type="button" class="open" data-id="${escape(row.id)}">${place} ${dot(row.id)}` +
    `${escape(shortName(row))}</button></li>`);
  const rest = n - numbered.length;
  byId(id + "_key").innerHTML = items.join("") +
    (rest > 0 ? `<li>and ${rest} without a number: touch a point for its name</li>` : "");
  joinStops(byId(id + "_key"));
}

function listenToKeys() {
  for (const key of document.querySelectorAll(".key")) key.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-id]");
    if (button) choose(button.dataset.id);
  });
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawNumbered, 200);
  });
}

// the charts whose numbers depend on how wide the window is
function drawNumbered() {
  const asked = chosenRows().filter((row) => row.is_asked);
  drawPlane(asked);
  drawCost(asked);
}
