export * from "/theme/api.js"; // which all pages share
