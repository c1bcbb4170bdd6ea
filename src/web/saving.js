// Names for the results, saving, and archives of several files.
"use strict";

// As the program names its outputs.
function openedName(name, formats) {
  for (const { extensions } of formats)
    for (const extension of extensions)
      if (name.endsWith(extension) && name !== extension) return name.slice(0, -extension.length);
  return name + ".decrypted";
}

// Bytes of no type: of some the browser would guess one, and change the name.
function save(blob, name) {
  blob = blob.type ? blob : new Blob([blob], { type: "application/octet-stream" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function sizeText(bytes) {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let unit = -1;
  do {
    bytes /= 1024;
    ++unit;
  } while (bytes >= 1024 && unit < units.length - 1);
  return `${bytes.toFixed(bytes < 10 ? 1 : 0)} ${units[unit]}`;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc >>> 0;
});

async function crcOf(blob) {
  let crc = 0xffffffff;
  const reader = blob.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    for (const byte of piece.value) crc = crcTable[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// Little-endian fields: [bytes, value], ...
function record(...fields) {
  const bytes = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 4) bytes.setUint32(at, value, true);
    else bytes.setUint16(at, value, true);
    at += size;
  }
  return bytes.buffer;
}

const kMostZipBytes = 0xffffffff; // without the 64-bit extension

// A zip archive of stored files (APPNOTE 6.3.10, 4.3), with names in UTF-8.
async function zipOf(files) {
  if (files.reduce((sum, { blob }) => sum + blob.size + 1024, 0) > kMostZipBytes || files.length > 65535) return null;
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { path, blob } of files) {
    const name = new TextEncoder().encode(path);
    const shared = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, await crcOf(blob)], [4, blob.size], [4, blob.size], [2, name.length], [2, 0]];
    directory.push(record([4, 0x02014b50], [2, 20], ...shared, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), name);
    const header = record([4, 0x04034b50], ...shared);
    parts.push(header, name, blob);
    at += header.byteLength + name.length + blob.size;
  }
  const listed = new Blob(directory);
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, listed.size], [4, at], [2, 0]);
  return new Blob([...parts, listed, end], { type: "application/zip" });
}
