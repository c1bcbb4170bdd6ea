// The tab of the laboratory: a box or a function, its report, and pictures that one can point at.
"use strict";

const kQuickSeconds = 3; // on one core of a PC; here about three times as long
const kMostPictureBits = 12;
const kDrawnAtOnceBits = 8;
const kMostCells = 512;

// Numbers separated by anything; or digits without separators, one per value of 4 bits, two per value of 8.
function numbersOf(text) {
  const digits = text.replace(/\s/g, "");
  if (/^[0-9a-f]+$/i.test(digits) && (digits.length === 16 || digits.length === 512) && !/\d[\s]+\d/.test(text.trim()))
    return digits.match(digits.length === 16 ? /./g : /../g).map((value) => parseInt(value, 16));
  const plain = text.replace(/\/\*[^]*?\*\/|\/\/.*|#.*/g, " ");
  const words = plain.split(/[\s()[\]{},;]+/).filter((word) => word !== "");
  return words.map((word, i) => {
    if (!/^(0x[0-9a-f]+|\d+)$/i.test(word) || Number(word) >= 2 ** 32) throw new Error(`entry ${i} is '${word.slice(0, 40)}'`);
    return Number(word);
  });
}

const durationText = (seconds) => (seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} minutes`);
const numberText = (value) => String(value).replace("-", "−");

// The value of a property: text, or an element for what is long.
function valueElement({ type, value }) {
  if (value === null) return make("span", { class: "none" }, "none");
  if (type === "truth") return make("span", {}, value ? "yes" : "no");
  if (type === "real") return make("span", {}, numberText(Number(value.toFixed(4))));
  if (!Array.isArray(value)) return make("span", {}, numberText(value));
  const texts = type === "histogram" ? value.map(([v, count]) => `${numberText(v)} × ${count}`) : value.map(numberText);
  if (texts.length <= 6) return make("span", {}, texts.join(", "));
  return make("details", {}, make("summary", {}, `${texts.length} ${type === "histogram" ? "values" : "numbers"}`), texts.join(", "));
}

// A table of properties that grows row by row.
class Report {
  constructor(caption) {
    this.body = null;
    this.group = null;
    this.table = make("table", { class: "report" }, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...["Property", "Value", "Definition"].map((name) => make("th", { scope: "col" }, name)))));
    this.left = [];
  }

  add(row, showsGroup) {
    if (row.seconds) return this.left.push(row);
    if (row.value === null) return;
    if (!this.body || (showsGroup && row.group !== this.group)) {
      this.body = make("tbody", {});
      if (showsGroup) this.body.append(make("tr", {}, make("th", { colspan: "3", scope: "rowgroup", class: "group" }, row.group)));
      this.table.append(this.body);
      this.group = row.group;
    }
    this.body.append(make("tr", {}, make("th", { scope: "row" }, row.column), make("td", { class: "value" }, valueElement(row)), make("td", { class: "definition" }, row.definition)));
  }
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim().match(/\d+/g).map(Number);
const mix = (from, to, part) => from.map((c, i) => Math.round(c + part * (to[i] - c)));

// Colours for values: none for 0, darker for larger magnitudes, another hue for negative ones.
function shades(darkest) {
  const [zero, plus, minus] = ["--zero", "--plus", "--minus"].map(colour);
  return (value) => (value === 0 ? zero : mix(zero, value < 0 ? minus : plus, 0.2 + 0.8 * Math.min(1, Math.abs(value) / darkest)));
}

// The bits of a table's longer side, by its shape; a list takes as long as a picture of so many.
const sideBits = { byOutput: Math.max, byInput: (n) => n, byBit: Math.max, byPair: (n, m) => n + m, entries: (n, m) => Math.min(2 * Math.max(n, m), kMostPictureBits) };

const listElement = ({ title, meaning }, { count, lines }) =>
  make("figure", {}, make("figcaption", {}, make("strong", {}, title), ` ${meaning}`),
    make("details", {}, make("summary", {}, `${count} entries${lines.length < count ? `, the first ${lines.length}` : ""}`), make("pre", {}, lines.join("\n"))));

// A picture of a table. Pointing at it, or the arrow keys, show an entry; pointing at the scale shows where a value is.
class Picture {
  constructor({ name, title, meaning }, { rows, columns, block, width, darkest, entries }) {
    Object.assign(this, { name, title, meaning, rows, columns, block, width, entries, darkest: Math.max(1, darkest) });
    this.height = entries.length / width;
    this.at = [0, 0];
    this.chosen = null;
    this.values = [...new Set(entries)].sort((a, b) => a - b);
    this.counts = new Map();
    for (const value of entries) this.counts.set(value, (this.counts.get(value) || 0) + 1);
    this.least = Math.max(this.values[0], -this.darkest);
    this.build();
    this.draw();
  }

  build() {
    const { title, meaning } = this;
    this.canvas = make("canvas", { width: this.width, height: this.height, tabindex: "0", role: "img",
      "aria-label": `${title}, ${this.rows} by ${this.columns} entries. The arrow keys move to an entry.` });
    this.scale = make("canvas", { width: "256", height: "1", class: "scale", tabindex: "0", role: "img",
      "aria-label": `Scale from ${this.least} to ${this.darkest}. The arrow keys move to a value.` });
    this.told = make("output", {}, "Point at the picture or at its scale.");
    this.element = make("figure", {}, make("figcaption", {}, make("strong", {}, title), ` ${meaning}`), this.canvas,
      make("div", { class: "ends" }, make("span", {}, numberText(this.least)), make("span", {}, `${numberText(this.darkest)}${this.values.at(-1) > this.darkest ? " and more" : ""}`)),
      this.scale, this.told);
    this.canvas.onpointermove = (event) => this.pointAt(...this.place(event));
    this.canvas.onkeydown = (event) => this.step(event);
    this.scale.onpointermove = (event) => this.choose(this.nearest(this.place(event)[0] / 255));
    this.scale.onpointerleave = this.scale.onblur = () => this.choose(null);
    this.scale.onkeydown = (event) => this.stepValue(event);
  }

  place({ currentTarget, offsetX, offsetY }) {
    const part = (offset, size, cells) => Math.max(0, Math.min(cells - 1, Math.floor((offset / size) * cells)));
    return [part(offsetX, currentTarget.clientWidth, currentTarget.width), part(offsetY, currentTarget.clientHeight, currentTarget.height)];
  }

  step(event) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] || [];
    if (dx === undefined) return;
    event.preventDefault();
    this.pointAt(Math.max(0, Math.min(this.width - 1, this.at[0] + dx)), Math.max(0, Math.min(this.height - 1, this.at[1] + dy)));
  }

  stepValue(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.values.indexOf(this.chosen === null ? this.values[0] : this.chosen);
    this.choose(this.values[Math.max(0, Math.min(this.values.length - 1, at + step))]);
  }

  pointAt(x, y) {
    this.at = [x, y];
    const entry = numberText(this.entries[y * this.width + x]);
    const range = (cell) => (this.block === 1 ? `${cell}` : `${cell * this.block} to ${(cell + 1) * this.block - 1}`);
    this.told.textContent = `a = ${range(y)}, b = ${range(x)}: ${this.block === 1 ? "" : "largest "}${entry}`;
    this.draw();
  }

  nearest(part) {
    const wanted = this.least + part * (this.darkest - this.least);
    return this.values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));
  }

  choose(value) {
    this.chosen = value;
    if (value !== null) this.told.textContent = `value ${numberText(value)}: ${this.counts.get(value)} ${this.block === 1 ? "entries" : "cells"}`;
    this.draw();
  }

  draw() {
    const shade = shades(this.darkest);
    const zero = colour("--zero");
    const context = this.canvas.getContext("2d");
    const image = context.createImageData(this.width, this.height);
    this.entries.forEach((entry, i) => {
      const exact = shade(entry);
      image.data.set(this.chosen === null || entry === this.chosen ? exact : mix(zero, exact, 0.12), 4 * i);
      image.data[4 * i + 3] = 255;
    });
    context.putImageData(image, 0, 0);
    context.fillStyle = `rgb(${colour("--mark")})`;
    if (this.width > 16) context.fillRect(this.at[0], this.at[1], 1, 1);
    this.drawScale(shade);
  }

  drawScale(shade) {
    const context = this.scale.getContext("2d");
    for (let x = 0; x < 256; ++x) {
      context.fillStyle = `rgb(${shade(this.least + (x / 255) * (this.darkest - this.least))})`;
      context.fillRect(x, 0, 1, 1);
    }
  }
}

// The Walsh spectrum of a function as bars, the largest magnitude where several share one.
class Spectrum {
  constructor(values) {
    this.values = values;
    this.per = Math.max(1, values.length / 1024);
    this.bars = Array.from({ length: values.length / this.per }, (_, i) =>
      values.subarray(i * this.per, (i + 1) * this.per).reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0));
    this.largest = Math.max(1, ...this.bars.map(Math.abs));
    this.at = 0;
    this.canvas = make("canvas", { width: Math.max(256, this.bars.length), height: "161", class: "bars", tabindex: "0", role: "img",
      "aria-label": `Walsh spectrum, ${values.length} values up to ${this.largest}. The arrow keys move to a value.` });
    this.told = make("output", {}, "Point at the spectrum.");
    this.element = make("figure", {}, make("figcaption", {}, make("strong", {}, "Walsh spectrum"), " W(a): sum of (−1)^(f(x) + a·x)"), this.canvas,
      make("div", { class: "ends" }, make("span", {}, "a = 0"), make("span", {}, `a = ${values.length - 1}`)), this.told);
    this.canvas.onpointermove = ({ offsetX }) => this.pointAt(Math.floor((offsetX / this.canvas.clientWidth) * this.bars.length));
    this.canvas.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.pointAt(this.at + step);
    };
    this.draw();
  }

  pointAt(bar) {
    this.at = Math.max(0, Math.min(this.bars.length - 1, bar));
    const from = this.at * this.per;
    this.told.textContent = this.per === 1 ? `W(${from}) = ${numberText(this.bars[this.at])}` : `a = ${from} to ${from + this.per - 1}: largest ${numberText(this.bars[this.at])}`;
    this.draw();
  }

  draw() {
    const context = this.canvas.getContext("2d");
    const { width, height } = this.canvas;
    const middle = (height - 1) / 2;
    const [plus, minus, mark] = ["--plus", "--minus", "--mark"].map((name) => `rgb(${colour(name)})`);
    const bar = width / this.bars.length;
    context.clearRect(0, 0, width, height);
    this.bars.forEach((value, i) => {
      context.fillStyle = i === this.at ? mark : value < 0 ? minus : plus;
      const size = Math.max(i === this.at ? 2 : 0.5, (Math.abs(value) / this.largest) * middle);
      context.fillRect(i * bar, value < 0 ? middle : middle - size, Math.max(1, bar - (bar > 3 ? 1 : 0)), size);
    });
  }
}

const laboratory = {
  drawn: new Set(),

  say(text, kind = "") {
    byId("lab-status").className = `status ${kind}`;
    byId("lab-status").textContent = text;
  },

  show(...elements) {
    byId("lab-results").append(...elements);
  },

  subject() {
    return document.querySelector("input[name=subject]:checked").value;
  },

  // A result, or null after saying what failed.
  async ask(call, message, observe) {
    this.work = engine.call(call, message, observe);
    const result = await this.work;
    if (!result.error) return result;
    this.say(result.error, "bad");
    return null;
  },

  async measure() {
    byId("lab-results").replaceChildren();
    this.drawn.clear();
    this.say("Measuring …");
    try {
      if (this.subject() === "function") await this.measureText();
      else await this.measureBox();
    } catch (error) {
      this.say(error.message, "bad");
    }
  },

  async measureBox() {
    const isNamed = this.subject() === "name";
    const name = byId("box-name").value.trim();
    const message = isNamed ? { name } : { values: numbersOf(byId("box-values").value), outputs: Number(byId("box-outputs").value) || 0 };
    if (isNamed && name === "") throw new Error("type or choose the name of a box");
    const shape = await this.ask("box", message);
    if (!shape) return;
    const title = `${isNamed ? name : "This box"}: ${shape.inputs} inputs, ${shape.outputs} outputs`;
    this.pictures(shape);
    const place = make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Report" });
    this.show(place);
    this.components(shape);
    await this.report(place, title, kQuickSeconds);
  },

  async report(place, title, seconds) {
    const report = new Report(title);
    place.replaceChildren(report.table);
    if (!(await this.ask("report", { seconds }, ({ row }) => row && report.add(row, true)))) return;
    this.say(`${title}.`, "good");
    if (report.left.length === 0) return;
    const longest = Math.max(...report.left.map((row) => row.seconds));
    const names = [...new Set(report.left.map((row) => row.column))].join(", ");
    place.append(button(`Measure also: ${names} (about ${durationText(3 * longest)})`, () => {
      this.say("Measuring …");
      this.report(place, title, Infinity);
    }));
  },

  pictures({ inputs, outputs, tables }) {
    if (Math.max(inputs, outputs) > kMostPictureBits) {
      this.show(make("p", {}, `Pictures are drawn for at most ${kMostPictureBits} inputs and outputs.`));
      return;
    }
    const gallery = make("div", { class: "gallery" });
    this.show(make("h3", {}, "Tables as pictures"), gallery);
    for (const table of known.tables) {
      const bits = sideBits[table.shape](inputs, outputs);
      if (bits > kMostPictureBits || !tables.includes(table.name)) continue;
      const place = make("div", {});
      gallery.append(place);
      if (bits <= kDrawnAtOnceBits) this.draw(table, place);
      else place.append(button(`Draw the ${table.title.toLowerCase()}`, () => this.draw(table, place)));
    }
  },

  async draw(table, place) {
    const bar = make("progress", { max: "1", "aria-label": `Progress of the ${table.title.toLowerCase()}` });
    place.replaceChildren(bar);
    const result = await this.ask("table", { table: table.name, cells: kMostCells }, ({ progress }) => progress && (bar.value = progress.done));
    if (!result) return place.replaceChildren();
    if (result.lines) return place.replaceChildren(listElement(table, result));
    const picture = new Picture(table, result);
    this.drawn.add(picture);
    place.replaceChildren(picture.element);
  },

  components({ outputs }) {
    const most = 2 ** outputs - 1;
    const mask = make("input", { id: "mask", type: "number", min: "1", max: String(most), value: "1" });
    const place = make("div", {});
    const go = button("Show the component", () => this.ask("function", { mask: Number(mask.value) }).then((shape) => shape && this.showFunction(place, `Component ${mask.value}`, shape)));
    this.show(make("h3", {}, "One component"), make("p", { class: "row" }, make("label", { for: "mask" }, `b·S(x), b = 1 to ${most}: `), mask, go), place);
  },

  async measureText() {
    const message = { text: byId("function-text").value, form: byId("function-form").value, variables: Number(byId("function-variables").value) || 0 };
    const shape = await this.ask("function", message);
    if (!shape) return;
    const place = make("div", {});
    this.show(place);
    await this.showFunction(place, "This function", shape);
    this.say(`${shape.variables} variables.`, "good");
  },

  async showFunction(place, name, { variables }) {
    const report = new Report(`${name}: ${variables} variables`);
    place.replaceChildren(make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Report of ${name}` }, report.table));
    await this.ask("functionReport", {}, ({ row }) => row && report.add(row, false));
    const result = await this.ask("spectrum", {});
    if (!result) return;
    const spectrum = new Spectrum(result.values);
    this.drawn.add(spectrum);
    place.append(spectrum.element);
  },
};

function setUpLaboratory() {
  byId("box-names").append(...known.boxes.map(({ name, size, origin }) => make("option", { value: name, label: `${size}: ${origin}` })));
  const adapt = () => {
    for (const part of document.querySelectorAll("[data-subject]")) part.hidden = part.dataset.subject !== laboratory.subject();
    byId("function-variables-field").hidden = byId("function-form").value !== "polynomial";
  };
  for (const radio of document.querySelectorAll("input[name=subject]")) radio.onchange = adapt;
  byId("function-form").onchange = adapt;
  byId("lab-form").onsubmit = (event) => {
    event.preventDefault();
    laboratory.measure();
  };
  byId("lab-cancel").onclick = () => engine.cancel(laboratory.work);
  matchMedia("(prefers-color-scheme: dark)").onchange = () => laboratory.drawn.forEach((picture) => picture.draw());
  adapt();
}
