// The tab of files: a card per input, which says what it is, and opens or seals it.
"use strict";

let known = { formats: [], headerless: [], boxes: [], tables: [] };
const cards = new Set();

const isSealing = () => byId("seal").checked;
const stemOf = (name) => name.replace(/\.[^.]*$/, "");
const formatNamed = (name) => known.formats.find((format) => format.name === name);

// What was typed as bytes, for one request; throws when it cannot be used.
function secretForRequest() {
  const text = byId("secret").value;
  if (isSealing()) {
    if (text === "") throw new Error("a passphrase is needed");
    if (text !== byId("again").value) throw new Error("the two passphrases differ");
  }
  if (!byId("key").checked || isSealing()) return { secret: new TextEncoder().encode(text), isKey: false };
  const digits = text.replace(/[\s:]/g, "");
  if (!/^([0-9a-f]{2})+$/i.test(digits)) throw new Error("the key is not hexadecimal digits, two per byte");
  return { secret: Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16)), isKey: true };
}

// Options in texts of the library, ⟦mode ecb⟧, are fields of the page.
const inWordsOfThePage = (text) =>
  text
    .replace(/, or ⟦yes⟧$/, " under “Format and options”, or go on all the same there")
    .replace(/⟦([^⟧]*)⟧/g, "$1");

// The ways to go on that an error ends in, "give ⟦mode cbc⟧, or ⟦mode pcbc⟧", as {format, options, text}: none where one of
// them lacks a value. `known` has the rows of the formats, and `name` is the one that is meant unless another is named.
const kAdvice = / give (⟦.*?)(, or ⟦yes⟧)?$/s;
function offersOf(error, known, name) {
  const offer = (words) => {
    const given = [...words.matchAll(/⟦([^ ⟧]*) ?([^⟧]*)⟧/g)].map(([, option, value]) => [option, value]);
    const at = given.findIndex(([option]) => option === "format");
    const format = at < 0 ? name : given.splice(at, 1)[0][1];
    const { options: rows } = known.find((one) => one.name === format) || {};
    const fits = ([option, value]) => rows.some((row) => row.name === option && (row.type === "flag") === (value === ""));
    return rows && /^(⟦[^⟧]*⟧ ?)+$/.test(words) && given.every(fits) ? { format, options: given, text: inWordsOfThePage(words) } : null;
  };
  const [, said] = error.match(kAdvice) || [];
  const offers = said ? said.split(", or ").map(offer) : [];
  return offers.every(Boolean) ? offers : [];
}

class Card {
  // `file`, or `files` of a folder: [{path, file}].
  constructor({ name, file, files, beside }) {
    Object.assign(this, { name, file, files, beside });
    this.busy = false;
    this.format = null;
    this.result = null;
    this.build();
    cards.add(this);
    byId("cards").append(this.element);
    showCounts();
    this.describe();
  }

  build() {
    const size = this.file ? sizeText(this.file.size) : `a folder of ${this.files.length} files`;
    this.title = make("p", { class: "what" }, "Reading …");
    this.fields = make("dl", {});
    this.status = make("div", { role: "status", class: "status" });
    this.bar = make("progress", { max: "1", "aria-label": `Progress of ${this.name}`, hidden: true });
    this.cancelButton = button("Cancel", () => engine.cancel(this.work), { hidden: true });
    this.go = button("Open", () => this.run(), { class: "primary" });
    this.body = make("div", {});
    this.options = this.buildOptions();
    this.element = make(
      "article",
      { "aria-label": this.name, class: "card" },
      make("div", { class: "head" }, make("h3", {}, this.name), make("span", { class: "size" }, size),
        button("Remove", () => this.remove(), { class: "small", "aria-label": `Remove ${this.name}` })),
      this.title, this.fields, this.options,
      make("div", { class: "row" }, this.go, this.cancelButton, this.bar),
      this.status, this.body,
    );
    this.show();
  }

  buildOptions() {
    const label = (text, input) => make("label", { class: "field" }, text, input);
    const choice = (options) => make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
    this.formatChoice = choice([["", "as recognised"], ...known.formats.filter((f) => f.isDirectory === !this.file || this.file)
      .map((f) => [f.name, `${f.name}: ${f.summary}`])]);
    this.formatChoice.onchange = () => this.describe();
    this.encodingChoice = choice([["", "as recognised"], ["binary", "binary"], ["base64", "base64"], ["hex", "hexadecimal"]]);
    this.weak = make("input", { type: "checkbox" });
    this.formatOptions = make("div", { class: "grid" });
    return make(
      "details", {}, make("summary", {}, "Format and options"),
      make("div", { class: "grid" }, label("Format", this.formatChoice), label("The file is", this.encodingChoice)),
      this.formatOptions,
      make("label", { class: "check" }, this.weak, "Go on even if a wrong passphrase or key could go unnoticed"),
    );
  }

  // Fields for the options of a format, from its rows.
  showOptions(format) {
    const field = (row) => {
      const id = `option-${Math.random().toString(36).slice(2)}`;
      const input = row.type === "word"
        ? make("select", { id }, make("option", { value: "" }, "not given"), ...row.words.map((word) => make("option", {}, word)))
        : make("input", { id, type: row.type === "flag" ? "checkbox" : "text", placeholder: row.value, autocomplete: "off" });
      input.dataset.option = row.name;
      input.dataset.type = row.type;
      const help = make("small", { id: `${id}-help` }, row.help);
      input.setAttribute("aria-describedby", help.id);
      return make("div", { class: "option" }, make("label", { for: id }, row.name), input, help);
    };
    this.formatOptions.replaceChildren(...(format ? format.options.map(field) : []));
  }

  givenOptions() {
    const inputs = [...this.formatOptions.querySelectorAll("[data-option]")];
    return inputs
      .filter((input) => (input.dataset.type === "flag" ? input.checked : input.value !== ""))
      .map((input) => [input.dataset.option, input.dataset.type === "flag" ? "" : input.value]);
  }

  async describe() {
    const format = this.formatChoice.value;
    const told = this.file
      ? await engine.call("describe", { file: this.file, beside: this.beside, format })
      : await engine.call("describeDirectory", { files: this.files });
    for (const part of ["error", "title"]) if (told[part]) told[part] = inWordsOfThePage(told[part]);
    this.format = formatNamed(format || told.format) || null;
    this.showOptions(this.format);
    this.fields.replaceChildren();
    this.title.classList.toggle("unknown", Boolean(told.error || told.candidates));
    if (this.file && this.file.size === 0 && !isSealing()) {
      this.title.textContent = "This file is empty.";
    } else if (told.candidates) {
      this.title.textContent = `This may be ${told.candidates.join(" or ")}. Choose its format, then open it.`;
      this.options.open = true;
    } else if (told.error && !isSealing()) {
      this.title.textContent = format ? `${format}: ${told.error}` : `${told.error[0].toUpperCase()}${told.error.slice(1)}.`;
      if (!format && told.code === "unknown_format")
        this.title.append(` If you know what made it, choose it below under “Format and options”. Formats of files without a header: ${known.headerless.join(", ")}.`);
    } else {
      this.title.textContent = told.error ? "" : told.title + (told.encoding && told.encoding !== "binary" ? `, as ${told.encoding} text` : "");
      for (const { label, text } of told.fields || []) this.fields.append(make("dt", {}, label), make("dd", {}, text));
    }
    this.show();
  }

  show() {
    const sealing = isSealing();
    this.go.textContent = sealing ? "Seal" : "Open";
    this.go.classList.toggle("primary", !this.result);
    this.go.disabled = this.busy || (sealing && !this.file);
    this.options.hidden = sealing;
    this.fields.hidden = sealing;
    this.title.hidden = sealing;
    this.bar.hidden = this.cancelButton.hidden = !this.busy;
  }

  say(text, kind = "") {
    this.status.className = `status ${kind}`;
    this.status.textContent = text;
  }

  remove() {
    cards.delete(this);
    this.element.remove();
    showCounts();
    byId("choose").focus();
  }

  async run(salvage = false) {
    let secret;
    try {
      secret = secretForRequest();
    } catch (error) {
      return this.say(`${this.name}: ${error.message}`, "bad");
    }
    this.result = null;
    this.body.replaceChildren();
    this.busy = true;
    this.bar.removeAttribute("value");
    this.say(isSealing() ? "Deriving the key, then encrypting …" : "Checking the passphrase, then decrypting …");
    this.show();
    const request = { ...secret, format: this.formatChoice.value, encoding: this.encodingChoice.value, options: this.givenOptions(), acceptWeak: this.weak.checked, salvage };
    const call = isSealing() ? "seal" : this.file ? "open" : "openDirectory";
    this.work = engine.call(call, { file: this.file, files: this.files, beside: this.beside, request }, ({ progress }) => {
      if (progress.total) this.bar.value = progress.done / progress.total;
    });
    const result = await this.work;
    secret.secret.fill(0);
    this.busy = false;
    this.show();
    if (result.error) {
      const offers = offersOf(result.error, known.formats, (this.format || {}).name);
      const text = offers.length ? result.error.replace(kAdvice, " choose below$2") : result.error;
      const isUnknown = result.error.startsWith("the format is not recognised");
      const how = isUnknown ? ": if you know what made it, choose that under “Format and options”" : "";
      this.say(`${this.name}: ${inWordsOfThePage(text)}${how}; nothing was written`, "bad");
      if (call === "open") this.body.append(...offers.map((offer) => button(`Open as ${offer.text}`, () => this.take(offer))));
      if (call === "open" && !salvage && result.code === "damaged") this.body.append(button("Save what can be saved", () => this.run(true)));
      return;
    }
    this.result = result;
    this.show();
    if (call === "seal") this.showSealed(result);
    else if (call === "open") await this.showOpened(result);
    else this.showFolder(result);
    showCounts();
  }

  async take({ format, options }) {
    if (format !== (this.format || {}).name) {
      this.formatChoice.value = format;
      await this.describe();
    }
    for (const [name, value] of options) {
      const input = this.formatOptions.querySelector(`[data-option="${name}"]`);
      input.checked = true;
      if (input.dataset.type !== "flag") input.value = value;
    }
    return this.run();
  }

  showSealed({ blob, parameters, extension }) {
    this.outputs = [{ path: this.name + extension, blob }];
    this.say(`Sealed: ${parameters}.`, "good");
    this.offer();
  }

  async showOpened(result) {
    this.outputs = [{ path: openedName(this.name, known.formats), blob: result.blob }];
    const vouched = result.authenticated ? "" : ", and nothing vouches for it";
    if (result.lost) this.say(`Damaged: ${result.lost}. What was saved, ${sizeText(result.blob.size)}, is here${vouched}.`, "bad");
    else this.say(`Opened: ${result.parameters}. ${sizeText(result.blob.size)}.`, "good");
    this.note(result);
    this.offer();
    await this.showContent(result);
  }

  showFolder(result) {
    this.outputs = result.files;
    this.say(`Opened: ${result.parameters}. ${result.files.length} files.`, result.failed.length ? "bad" : "good");
    this.note(result);
    for (const { part, error } of result.failed) this.body.append(make("p", { class: "bad" }, `${part}: ${inWordsOfThePage(error)}; left out`));
    this.offer();
  }

  note({ notes, authenticated, checked, byTrial, sure }) {
    const texts = notes.map(inWordsOfThePage);
    if (byTrial) texts.unshift("The parameters were found by trial.");
    if (!sure) texts.unshift("A wrong passphrase could have gone unnoticed here: check the result.");
    if (!authenticated)
      texts.push(checked ? "A checksum found no damage, but nothing is authenticated: deliberate changes can go unseen." : "This format has no authentication: damage can go unseen.");
    if (texts.length) this.body.append(make("ul", { class: "notes" }, ...texts.map((text) => make("li", {}, text))));
  }

  offer() {
    const list = make("ul", { class: "outputs" });
    for (const { path, blob } of this.outputs)
      list.append(make("li", {}, button(`Save ${path}`, () => save(blob, path.split("/").pop()), { class: "primary" }), ` ${sizeText(blob.size)}`));
    this.body.append(list);
    if (this.outputs.length > 1) this.body.append(button("Save all as one .zip", () => saveZip(this.outputs, `${this.name}.zip`)));
  }

  // Passwords as a table; other small texts on request.
  async showContent({ blob, holdsPasswords }) {
    const kMostShown = holdsPasswords ? 16 << 20 : 64 << 10;
    if (blob.size === 0 || blob.size > kMostShown) return;
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return;
    } finally {
      bytes.fill(0);
    }
    const table = holdsPasswords ? vaultTable(text) : null;
    if (table) return this.showTable(table);
    if (/[\0-\x08\x0e-\x1f]/.test(text)) return;
    this.body.append(make("details", { class: "content" }, make("summary", {}, "Show the text"), make("pre", { tabindex: "0" }, text)));
  }

  showTable(table) {
    const { element, showAll, hasSecrets } = vaultElement(table);
    const name = stemOf(this.name);
    const all = button("Show all passwords", () => {
      const visible = all.getAttribute("aria-pressed") === "false";
      all.setAttribute("aria-pressed", String(visible));
      all.textContent = visible ? "Hide all passwords" : "Show all passwords";
      showAll(visible);
    }, { "aria-pressed": "false", hidden: !hasSecrets });
    this.body.append(
      make("div", { class: "row" }, all,
        button("Save as CSV", () => save(new Blob([csvOf(table)], { type: "text/csv" }), `${name}.csv`)),
        button("Save as JSON", () => save(new Blob([jsonOf(table)], { type: "application/json" }), `${name}.json`))),
      make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Entries of ${this.name}` }, element),
    );
  }
}

async function saveZip(outputs, name) {
  const zip = await zipOf(outputs);
  if (zip) save(zip, name);
  else byId("all-status").textContent = "More than 4 GiB do not fit one archive: save the files one by one.";
}

function showCounts() {
  byId("all").hidden = cards.size < 2;
  byId("open-all").textContent = isSealing() ? `Seal all ${cards.size}` : `Open all ${cards.size}`;
  byId("save-all").hidden = [...cards].filter((card) => card.result).length < 2;
}

// A file that belongs to another one beside it, such as a wallet's salt.
const belongsToAnother = (file, all) =>
  known.formats.some(({ companion }) => companion && file.name.endsWith(companion) && all.some((other) => other !== file && stemOf(other.name) === stemOf(file.name)));

function addFiles(files) {
  for (const file of files) {
    const beside = files.filter((other) => other !== file && stemOf(other.name) === stemOf(file.name));
    if (!belongsToAnother(file, files)) new Card({ name: file.name, file, beside });
  }
}

// A folder that is a container becomes one card; of another one, each file does.
async function addFolder(name, files) {
  const told = await engine.call("describeDirectory", { files });
  if (!told.error) new Card({ name, files });
  else addFiles(files.map(({ file }) => file).slice(0, 500));
}

// The files of a dropped folder, by paths below it.
async function filesBelow(directory, prefix = "") {
  const reader = directory.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const entry of some) {
      if (entry.isDirectory) found.push(...(await filesBelow(entry, `${prefix}${entry.name}/`)));
      else found.push({ path: prefix + entry.name, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    }
  }
}

async function addDropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
  addFiles([...transfer.files].filter((_, i) => !entries[i] || entries[i].isFile));
  for (const entry of entries) if (entry && entry.isDirectory) await addFolder(entry.name, await filesBelow(entry));
}

function addChosenFolder(list) {
  const files = [...list].map((file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/"), file }));
  if (files.length) addFolder(list[0].webkitRelativePath.split("/")[0], files);
}

function setUpFiles() {
  const input = byId("choose");
  input.onchange = () => {
    addFiles([...input.files]);
    input.value = "";
  };
  const folder = byId("choose-folder");
  folder.onchange = () => {
    addChosenFolder(folder.files);
    folder.value = "";
  };
  byId("add-text").onclick = () => {
    const text = byId("pasted").value;
    if (text.trim() === "") return;
    byId("pasted").value = "";
    addFiles([new File([text], "pasted text")]);
  };
  const zone = document.body;
  zone.ondragover = (event) => {
    event.preventDefault();
    byId("drop").classList.add("over");
  };
  zone.ondragleave = () => byId("drop").classList.remove("over");
  zone.ondrop = (event) => {
    event.preventDefault();
    byId("drop").classList.remove("over");
    addDropped(event.dataTransfer);
  };
  const adapt = () => {
    byId("again-field").hidden = !isSealing();
    byId("kind").hidden = isSealing();
    byId("secret-label").textContent = isSealing() ? "New passphrase" : byId("key").checked ? "Key, as hexadecimal digits" : "Passphrase";
    for (const card of cards) card.show();
    showCounts();
  };
  for (const id of ["open", "seal", "passphrase", "key"]) byId(id).onchange = adapt;
  byId("show-secret").onclick = () => {
    const visible = byId("secret").type === "password";
    byId("secret").type = byId("again").type = visible ? "text" : "password";
    byId("show-secret").textContent = visible ? "Hide" : "Show";
    byId("show-secret").setAttribute("aria-pressed", String(visible));
  };
  byId("secret").onkeydown = (event) => {
    if (event.key === "Enter" && !isSealing()) for (const card of cards) if (!card.busy && !card.result) card.run();
  };
  byId("open-all").onclick = () => [...cards].forEach((card) => card.busy || card.run());
  byId("save-all").onclick = () => saveZip([...cards].filter((card) => card.result).flatMap((card) => card.outputs), "fugu.zip");
  byId("clear").onclick = () => {
    byId("secret").value = byId("again").value = "";
    for (const card of [...cards]) card.remove();
  };
  adapt();
}
