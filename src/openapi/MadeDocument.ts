import { exampleOrigin } from "../../services/Fields.ts"

/** The document of a server at `exampleOrigin` as JSON, defined in the bundle by scripts/build.ts. */
declare const OPENAPI_DOCUMENT: string | undefined

/** The document of a server at `exampleOrigin`, as JSON. Making it blocks for a tenth of a second; a bundle has it ready. */
export const made = async (): Promise<string> =>
  typeof OPENAPI_DOCUMENT === "string"
    ? OPENAPI_DOCUMENT
    : JSON.stringify((await import("./OpenApiDocument.ts")).openApiDocument(exampleOrigin))
