export * from "/theme/dom.js"; // which all pages share
