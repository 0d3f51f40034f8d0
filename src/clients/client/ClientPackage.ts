/** `sheaf/client`: a typed client for browsers, Node, Deno and Bun. */
export * from "./SheafClient.ts"
export { type AdminClient, createAdmin } from "./AdminClient.ts"
export { importFile, type NewImport } from "./ImportFile.ts"
export { type NewFile, upload, type UploadOptions } from "./Upload.ts"
