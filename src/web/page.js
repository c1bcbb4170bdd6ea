"use strict";

addEventListener("DOMContentLoaded", async () => {
  setUpTabs(document.querySelector("[role=tablist]"));
  const found = await engine.call("formats");
  if (found.error) {
    byId("failed").hidden = false;
    byId("failed").textContent = `This page cannot run here: ${found.error}. A current Firefox, Chrome, Edge or Safari can.`;
    return;
  }
  known = found;
  setUpFiles();
  setUpLaboratory();
  document.body.dataset.ready = "yes";
});
