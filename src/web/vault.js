// Tables for the content of password stores.
"use strict";

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isSecretColumn = (name) => /pass|secret|pin$|^value$|base64|protected/i.test(name);
const textOf = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

// {columns, rows} of an array of records; null for anything else.
function tableOfRecords(records) {
  if (!Array.isArray(records) || records.length === 0 || !records.every(isRecord)) return null;
  const columns = [...new Set(records.flatMap(Object.keys))];
  return { columns, rows: records.map((record) => columns.map((column) => textOf(record[column]))) };
}

// A wallet: {folder: {entry: {type, value or base64}}}. A map of values is a row per value.
function tableOfFolders(folders) {
  const entries = Object.entries(folders);
  if (!entries.every(([, folder]) => isRecord(folder) && Object.values(folder).every((entry) => isRecord(entry) && "type" in entry)))
    return null;
  const rows = entries.flatMap(([folder, held]) =>
    Object.entries(held).flatMap(([name, { type, value, base64 }]) =>
      isRecord(value)
        ? Object.entries(value).map(([key, text]) => [folder, name, key, type, textOf(text)])
        : [[folder, name, "", type, textOf(value === undefined ? base64 : value)]],
    ),
  );
  return { columns: ["folder", "entry", "key", "type", "value"], rows };
}

// Lines of name, host, user and password, as exported connections have them.
function tableOfLines(text) {
  const rows = text.replace(/\n$/, "").split("\n").map((line) => line.split("\t"));
  return rows.every((row) => row.length === 4) ? { columns: ["name", "host", "user", "password"], rows } : null;
}

function vaultTable(text) {
  try {
    const value = JSON.parse(text);
    if (Array.isArray(value)) return tableOfRecords(value);
    if (isRecord(value) && Array.isArray(value.entries)) return tableOfRecords(value.entries);
    return isRecord(value) ? tableOfFolders(value) : null;
  } catch {
    return tableOfLines(text);
  }
}

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// RFC 4180.
const csvOf = ({ columns, rows }) => [columns, ...rows].map((row) => row.map(quoted).join(",") + "\r\n").join("");
const jsonOf = ({ columns, rows }) =>
  JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))), null, 1) + "\n";

const kHidden = "••••••••";

// A table whose secret columns are hidden until asked for, each cell by its own button or all at once.
function vaultElement(table) {
  const secrets = [];
  const cell = (text, column) => {
    const place = make("td", { "data-column": column });
    if (!isSecretColumn(column) || text === "") {
      place.append(text);
      return place;
    }
    const shown = make("span", { class: "secret" }, kHidden);
    const button = make("button", { type: "button", class: "small", "aria-pressed": "false", "aria-label": `Show ${column}` }, "Show");
    const show = (visible) => {
      shown.textContent = visible ? text : kHidden;
      button.textContent = visible ? "Hide" : "Show";
      button.setAttribute("aria-pressed", String(visible));
    };
    button.onclick = () => show(button.getAttribute("aria-pressed") === "false");
    secrets.push(show);
    const copy = make("button", { type: "button", class: "small", "aria-label": `Copy ${column}` }, "Copy");
    copy.onclick = () => copyText(text, copy);
    place.append(shown, " ", button, " ", copy);
    return place;
  };
  const element = make(
    "table",
    { class: "vault" },
    make("caption", {}, `${table.rows.length} ${table.rows.length === 1 ? "entry" : "entries"}`),
    make("thead", {}, make("tr", {}, ...table.columns.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...table.rows.map((row) => make("tr", {}, ...row.map((text, i) => cell(text, table.columns[i]))))),
  );
  return { element, showAll: (visible) => secrets.forEach((show) => show(visible)), hasSecrets: secrets.length > 0 };
}
