import { createClient } from "@hey-api/openapi-ts"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import openapiTypes, { astToString } from "openapi-typescript"

/** Generates clients from an API description for programs: `node generate.ts <openapi.json> <folder> <program> …`. */

const [description, folder, ...programs] = process.argv.slice(2) as [string, string, ...Array<string>]
const text = readFileSync(description, "utf8")

if (programs.includes("fetchClient.ts")) writeFileSync(join(folder, "schema.ts"), astToString(await openapiTypes(text)))

if (programs.includes("zodClient.ts")) {
  await createClient({
    input: JSON.parse(text),
    output: { path: join(folder, "sdk"), module: { extension: ".ts" } },
    logs: { level: "warn", file: false },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "zod", { name: "@hey-api/sdk", validator: "zod" }]
  })
}
