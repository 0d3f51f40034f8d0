import { createClient } from "@hey-api/openapi-ts"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import openapiTypes, { astToString } from "openapi-typescript"

/** Generates clients from an API description with both generators: `node generate.ts <openapi.json> <folder>`. */

const [description, folder] = process.argv.slice(2) as [string, string]
const text = readFileSync(description, "utf8")

writeFileSync(join(folder, "schema.ts"), astToString(await openapiTypes(text)))

await createClient({
  input: JSON.parse(text),
  output: { path: join(folder, "sdk"), module: { extension: ".ts" } },
  logs: { level: "warn", file: false },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "zod", { name: "@hey-api/sdk", validator: "zod" }]
})
