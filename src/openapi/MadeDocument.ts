/** The document itself, of a server without an address, where scripts/build.ts has put it into the bundle. */
declare const OPENAPI_DOCUMENT: string | undefined

/** Making it takes a tenth of a second in one stretch, so that a built Sheaf has it already. */
export const made = async (): Promise<object> =>
  typeof OPENAPI_DOCUMENT === "string"
    ? JSON.parse(OPENAPI_DOCUMENT)
    : (await import("./OpenApiDocument.ts")).openApiDocument("")
