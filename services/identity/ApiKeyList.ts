import { listOf } from "../lists/ListSpec.ts"
import { ApiKey } from "./ApiKey.ts"

export const apiKeyList = listOf(ApiKey, {
  path: "/api-keys",
  from: "api_keys",
  sort: ["-created_at", "name", "last_used_at"],
  filter: ["id", "name", "created_at", "last_used_at"],
  words: ["name"],
  // The quota allows 100 per user.
  sorted: ["created_at", "name", "last_used_at"]
})
