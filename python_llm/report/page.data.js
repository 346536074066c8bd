"use strict";
// The parts of the data: in the page itself, or in scripts of the folder beside it, read as needed.
const parts = new Map();  // by name, unpacked
const arriving = new Map();  // by name, what takes the content of a script
const FOLDER = document.body.dataset.folder;

// what the scripts of the folder call
function part(name, content) {
  arriving.get(name)?.(content);
}

// the compressed text of a part; a script beside the page may be run from disk, but not fetched
function textOf(name) {
  const inside = document.getElementById("part-" + name);
  if (inside) {
    const text = inside.textContent;
    inside.textContent = "";
    return text;
  }
  return new Promise((done, fail) => {
    const script = document.createElement("script");
    arriving.set(name, done);
    script.onload = () => { arriving.delete(name); script.remove(); };
    script.onerror = () => fail(new Error(
      `${FOLDER}/${name}.js is missing. The page needs its folder ${FOLDER} beside it: ` +
      "copy both, load the page again if it was written anew, or write it with kernel29 report"));
    script.src = `${FOLDER}/${name}.js`;
    document.head.append(script);
  });
}

const TYPES = { uint8: Uint8Array, uint16: Uint16Array };

// a line of JSON with the layout, and the arrays
function arraysOf(buffer) {
  const bytes = new Uint8Array(buffer), end = bytes.indexOf(10);
  const { arrays, ...more } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  let offset = end + 1;
  for (const [name, type, size] of arrays) {
    const long = size * TYPES[type].BYTES_PER_ELEMENT;
    more[name] = new TYPES[type](buffer.slice(offset, offset + long));
    offset += long;
  }
  return more;
}

async function unpack(name) {
  const packed = await fetch("data:application/octet-stream;base64," + await textOf(name));
  const response = new Response(packed.body.pipeThrough(new DecompressionStream("gzip")));
  if (name === "library") return response.text();
  return /^(status|marks|lists)-/.test(name) ? arraysOf(await response.arrayBuffer()) : response.json();
}

// What has been unpacked stays; a part that failed may be tried again.
const underWay = new Map();
function load(name) {
  if (!underWay.has(name)) {
    const unpacked = unpack(name).then((content) => { parts.set(name, content); });
    underWay.set(name, unpacked.catch((error) => { underWay.delete(name); throw error; }));
  }
  return underWay.get(name);
}

// at once if the parts are here, so that a page in one file never waits
function whenLoaded(names, then) {
  const lacking = names.filter((name) => !parts.has(name));
  return lacking.length ? Promise.all(lacking.map(load)).then(then) : then();
}

// the numbers by which parts are named
const judgeNumber = () => core.judges.findIndex((one) => one.id === state.judge);
const setNumber = (set) => core.sets.findIndex((one) => one.id === set);
const scoresName = () => `scores-${judgeNumber()}-${core.settings.indexOf(state.setting)}`;
const marksName = (set) => `marks-${setNumber(set)}-${judgeNumber()}`;

// what the charts of the chosen test sets, judge and setting need
function neededParts() {
  if (!core.judges.length) return state.test_set.filter((set) => setNumber(set) >= 0).map((set) => `cases-${setNumber(set)}`);
  const sets = state.test_set.filter((set) => setNumber(set) >= 0);
  return [scoresName(), ...sets.flatMap((set) => [`cases-${setNumber(set)}`, `status-${setNumber(set)}`, marksName(set)])];
}

// the cases of the test sets, as they are loaded
const casesOf = {};
function takeCases() {
  core.sets.forEach((set, i) => { if (!casesOf[set.id] && parts.has(`cases-${i}`)) casesOf[set.id] = parts.get(`cases-${i}`).map((one) => ({ ...one, test_set: set.id })); });
}

// the scores of the chosen judge and setting, and where each configuration stands in them
const placesOfScores = new Map();
function scores() {
  const name = scoresName(), columns = parts.get(name);
  if (!columns) return { columns: {}, at: new Map() };
  if (!placesOfScores.has(name)) placesOfScores.set(name, new Map(columns.configuration_id.map((id, i) => [id, i])));
  return { columns, at: placesOfScores.get(name) };
}

// an array of what is known of each case of a configuration: sem, sev, is_scored, strict_rank or broad_rank
function marks(id, name) {
  const { test_set: set, place } = core.byId.get(id), n = core.sets[setNumber(set)].n_cases;
  return parts.get(marksName(set))[name].subarray(place * n, (place + 1) * n);
}

function statusesOf(id) {
  const { test_set: set, place } = core.byId.get(id), n = core.sets[setNumber(set)].n_cases;
  return parts.get(`status-${setNumber(set)}`).status.subarray(place * n, (place + 1) * n);
}

// what is made of a part when it is first asked for
const indexes = new Map();
function indexed(name, index) {
  if (!indexes.has(name)) indexes.set(name, index(parts.get(name)));
  return indexes.get(name);
}

// so many items, spread evenly over all of them
const evenly = (items, n) => (items.length <= n ? items : Array.from({ length: n }, (_, i) => items[Math.floor((i + 0.5) * items.length / n)]));

// the lists of a configuration's group, and where in them a case's first rank is
const listsName = (id) => "lists-" + core.byId.get(id).group;
const listsOf = (id) => parts.get(listsName(id));
const firstRank = (id, k) => (core.byId.get(id).group_cell + k) * MAX_RANK;
const nameAt = (lists, at) => lists.names[(lists.diagnosis0[at] | (lists.diagnosis1[at] << 8) | (lists.diagnosis2[at] << 16)) - 1] ?? "";
// of the chosen judge, in the arrays of labels and rules
const firstLabel = (id, k) => judgeNumber() * listsOf(id).diagnosis0.length + firstRank(id, k);
