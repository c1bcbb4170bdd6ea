// Runs the library, so that the page stays responsive. The page sends {id, call, ...}; answers are {id, result}
// and, on the way, {id, progress} or {id, row}. Nothing is kept between calls but the laboratory's subject.
"use strict";

const kWindowBytes = 4 << 20; // read ahead, for formats that read a line or a record at a time
const kPartBytes = 16 << 20;

const failed = (what, error) => `${what}: ${error.message || error}`;

function meter(id, total) {
  let last = 0;
  return (done) => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    postMessage({ id, progress: { done, total } });
  };
}

class FileInput {
  constructor(file, beside, progress) {
    this.file = file;
    this.beside = beside;
    this.progress = progress;
    this.size = file.size;
    this.window = new Uint8Array(0);
    this.begin = 0;
  }

  bytes(from, to) {
    return new Uint8Array(new FileReaderSync().readAsArrayBuffer(this.file.slice(from, to)));
  }

  read(offset, view) {
    try {
      const end = offset + view.length;
      if (view.length >= kWindowBytes) {
        view.set(this.bytes(offset, end));
      } else {
        if (offset < this.begin || end > this.begin + this.window.length) {
          this.window = this.bytes(offset, Math.min(this.size, offset + kWindowBytes));
          this.begin = offset;
        }
        view.set(this.window.subarray(offset - this.begin, end - this.begin));
      }
      if (this.progress) this.progress(end);
      return "";
    } catch (error) {
      return failed("cannot be read", error);
    }
  }

  companion(extension) {
    const name = this.file.name.replace(/\.[^.]*$/, "") + extension;
    const found = this.beside.find((file) => file.name === name);
    return found ? new FileInput(found, [], null) : null;
  }
}

// Collects what is written in blobs, which a browser may keep on its disk. One buffer serves them all: a browser frees many late.
class BlobOutput {
  constructor() {
    this.parts = [];
    this.held = null;
    this.heldBytes = 0;
  }

  write(view) {
    try {
      while (view.length > 0) {
        this.held = this.held || new Uint8Array(kPartBytes);
        const some = view.subarray(0, kPartBytes - this.heldBytes);
        this.held.set(some, this.heldBytes);
        this.heldBytes += some.length;
        if (this.heldBytes === kPartBytes) this.keep();
        view = view.subarray(some.length);
      }
      return "";
    } catch (error) {
      return failed("cannot be kept", error);
    }
  }

  keep() {
    const used = this.held.subarray(0, this.heldBytes);
    this.parts.push(new Blob([used]));
    used.fill(0);
    this.heldBytes = 0;
  }

  finish() {
    if (this.held) this.keep();
    this.held = null;
    return "";
  }

  // By way of a response, which makes Firefox keep a large blob on its disk.
  async blob() {
    return new Response(new Blob(this.parts.splice(0))).blob();
  }
}

// Files of a chosen folder: [{path, file}] with paths below it.
class FolderInput {
  constructor(files, progress) {
    this.files = new Map(files.map(({ path, file }) => [path, file]));
    this.progress = progress;
    this.done = 0;
  }

  list(path) {
    const prefix = path === "" ? "" : path + "/";
    const names = new Map();
    for (const file of this.files.keys()) {
      if (!file.startsWith(prefix)) continue;
      const [name, ...below] = file.slice(prefix.length).split("/");
      names.set(name, below.length > 0);
    }
    return [...names].map(([name, directory]) => ({ name, directory }));
  }

  open(path) {
    const file = this.files.get(path);
    if (!file) return null;
    const before = this.done;
    this.done += file.size;
    return new FileInput(file, [], this.progress && ((end) => this.progress(before + end)));
  }
}

class FolderOutput {
  constructor() {
    this.files = [];
  }

  directory() {}

  // A file that fails is not finished, and not offered.
  file(path) {
    const output = new BlobOutput();
    const finish = output.finish.bind(output);
    const write = output.write.bind(output);
    return {
      write,
      finish: () => {
        finish();
        if (!this.files.some((file) => file.path === path)) this.files.push({ path, output });
        return "";
      },
    };
  }

  blobs() {
    return Promise.all(this.files.map(async ({ path, output }) => ({ path, blob: await output.blob() })));
  }
}

// PBKDF2 of many iterations is the browser's, several times as fast as the library's. The library cannot wait for it: a call that
// lacks a key ends, and begins again when the key is there.
const derivations = []; // {hash, secret, salt, iterations, bytes, key}, the last one perhaps without its key
const sameBytes = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

self.derivedKey = (digest, secret, salt, iterations, bytes) => {
  const hash = digest.toUpperCase().replace(/^SHA-?(?=\d)/, "SHA-");
  if (!["SHA-1", "SHA-256", "SHA-384", "SHA-512"].includes(hash) || secret.length === 0 || !self.crypto.subtle) return null;
  const found = derivations.find((one) => one.hash === hash && one.iterations === iterations && one.bytes === bytes
    && sameBytes(one.salt, salt) && sameBytes(one.secret, secret));
  if (found) return found.key;
  derivations.push({ hash, secret: secret.slice(), salt: salt.slice(), iterations, bytes });
  return false;
};

async function derive({ hash, secret, salt, iterations, bytes }) {
  const base = await crypto.subtle.importKey("raw", secret, "PBKDF2", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "PBKDF2", hash, salt, iterations }, base, 8 * bytes));
}

// What work() returns in the end.
async function withDerivations(work, request) {
  let result = work();
  for (; result.again; result = work()) {
    const wanted = derivations.at(-1);
    wanted.key = await derive(wanted).catch(() => null);
  }
  for (const { secret, key } of derivations.splice(0)) {
    secret.fill(0);
    if (key) key.fill(0);
  }
  request.secret.fill(0);
  return result;
}

const totalOf = (files) => files.reduce((sum, { file }) => sum + file.size, 0);

// A blob result for {file, beside, request}.
async function transform(library, call, { id, file, beside, request }) {
  let output;
  const result = await withDerivations(() => {
    output = new BlobOutput();
    return library[call](new FileInput(file, beside || [], meter(id, file.size)), output, request);
  }, request);
  return result.error ? result : { ...result, blob: await output.blob() };
}

let laboratory = null; // lost with a cancelled worker

const measured = (work) => (laboratory ? work(laboratory) : { error: "it was cancelled: measure again", code: "usage" });

const calls = {
  formats: (library) => ({ formats: library.formats(), headerless: library.headerlessFormats(), boxes: library.boxNames(), tables: library.boxTables() }),
  describe: (library, { file, beside, format }) => library.describe(new FileInput(file, beside, null), format),
  describeDirectory: (library, { files }) => library.describeDirectory(new FolderInput(files, null)),
  open: (library, message) => transform(library, "open", message),
  seal: (library, message) => transform(library, "seal", message),

  openDirectory: async (library, { id, files, request }) => {
    let output;
    const result = await withDerivations(() => {
      output = new FolderOutput();
      return library.openDirectory(new FolderInput(files, meter(id, totalOf(files))), output, request);
    }, request);
    return result.error ? result : { ...result, files: await output.blobs() };
  },

  // The laboratory: `name`, or `values` with `outputs`.
  box: (library, { name, values, outputs }) => {
    laboratory = laboratory || new library.Laboratory();
    return name ? laboratory.takeNamed(name) : laboratory.takeValues(values, outputs);
  },
  report: (library, { id, seconds }) => measured((subject) => subject.report((row) => postMessage({ id, row }), seconds)),
  table: (library, { id, table, cells }) => {
    const show = meter(id, 1);
    return measured((subject) => subject.table(table, cells, (row, rows) => show(row / rows)));
  },
  function: (library, { mask, text, form, variables }) => {
    if (text === undefined) return measured((subject) => subject.takeComponent(mask));
    laboratory = laboratory || new library.Laboratory();
    return laboratory.takeText(text, form, variables);
  },
  functionReport: (library, { id }) => measured((subject) => subject.functionReport((row) => postMessage({ id, row }))),
  spectrum: () => measured((subject) => subject.spectrum()),
};

let library = null;

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      library = await loadFugu({
        instantiateWasm: (imports, done) => {
          WebAssembly.instantiate(data.module, imports).then((instance) => done(instance, data.module));
          return {};
        },
      });
    }
    postMessage({ id: data.id, result: data.call ? await calls[data.call](library, data) : {} });
  } catch (error) {
    postMessage({ id: data.id, result: { error: failed("unexpected failure", error), code: "engine" } });
  }
};
