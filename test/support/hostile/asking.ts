import { fromAnywhere } from "../FromAnywhere.ts"
import type { ApiResponse, TestApp } from "../TestApp.ts"
import { expectSound } from "./Sound.ts"

/**
 * Returns a function that sends requests, each from its own client address and without a credential unless the headers
 * contain one, and checks the responses.
 */
export const asking =
  (app: TestApp) =>
  async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> => {
    const answer = await app.call(method, path, body, { authorization: "", ...fromAnywhere(), ...headers })
    return expectSound(answer, `${method} ${path} ${JSON.stringify(body)} ${JSON.stringify(headers)}`.slice(0, 1000))
  }

export type Ask = ReturnType<typeof asking>
