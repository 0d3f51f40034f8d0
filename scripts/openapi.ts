import { openApiDocument } from "../src/server/openapi/OpenApiDocument.ts"

/** Prints the OpenAPI description, for generators of clients: `node scripts/openapi.ts [public URL]`. */
process.stdout.write(`${JSON.stringify(openApiDocument(process.argv[2] ?? "http://127.0.0.1:4000"), null, 2)}\n`)
