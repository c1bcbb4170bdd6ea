// The page's side of the worker: call() sends one request after the other; cancel(work) ends what call() returned.
"use strict";

const engine = (() => {
  let module = null; // compiled once, also for workers after a cancelled one
  let worker = null;
  let next = 1;
  let running = null; // {id, resolve, observe}
  const queue = [];

  async function compiled() {
    if (!module) {
      const packed = Uint8Array.from(atob(document.getElementById("wasm").textContent.trim()), (c) => c.charCodeAt(0));
      const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      module = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
    }
    return module;
  }

  function answer({ data }) {
    if (!running || data.id !== running.id) return;
    if (data.progress || data.row) {
      if (running.observe) running.observe(data);
      return;
    }
    finish(data.result);
  }

  function finish(result) {
    const { resolve } = running;
    running = null;
    resolve(result);
    advance();
  }

  function fail(event) {
    event.preventDefault();
    worker = null;
    if (running) finish({ error: `unexpected failure: ${event.message || "not enough memory"}`, code: "engine" });
  }

  async function advance() {
    if (running || queue.length === 0) return;
    running = queue.shift();
    const { id, message } = running;
    try {
      if (!worker) {
        const source = document.getElementById("worker").textContent;
        const started = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
        worker = started;
        started.onmessage = answer;
        started.onerror = fail;
        message.module = await compiled();
      }
      if (running && running.id === id) worker.postMessage({ ...message, id });
    } catch (error) {
      worker = null;
      finish({ error: `this browser cannot run it: ${error.message}`, code: "engine" });
    }
  }

  return {
    call(call, message = {}, observe = null) {
      const id = next++;
      const work = new Promise((resolve) => queue.push({ id, message: { ...message, call }, resolve, observe }));
      work.id = id;
      advance();
      return work;
    },

    cancel(work) {
      const cancelled = { error: "cancelled", code: "interrupted" };
      const waiting = queue.findIndex(({ id }) => work && id === work.id);
      if (waiting >= 0) queue.splice(waiting, 1)[0].resolve(cancelled);
      if (!running || !work || running.id !== work.id) return;
      if (worker) worker.terminate();
      worker = null;
      finish(cancelled);
    },
  };
})();
