import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Invitations } from "../../services/workspaces/Invitations.ts"
import type { OpenInvitation } from "../../services/workspaces/OpenInvitation.ts"
import { escapeHtml } from "./EscapeHtml.ts"

/** What it shows is a secret of the link: no cache, no index, and no site that is gone to may learn of it. */
const headers = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
  "x-content-type-options": "nosniff"
}

const page = (status: number, title: string, ...paragraphs: ReadonlyArray<string>) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere }
</style>
<h1>${title}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n")}
</html>
`,
    { status, contentType: "text/html; charset=utf-8", headers }
  )

const unknown = page(
  404,
  "No such invitation",
  "Check that the link is whole. An invitation that was accepted, deleted or sent again has ended."
)
const expired = page(410, "The invitation has expired", "Ask who invited you to send it again.")
const unavailable = HttpServerResponse.setHeader(
  page(503, "Not now", "Try it again in a few seconds."),
  "retry-after",
  "2"
)

const open =
  (publicUrl: string) =>
  ({ email, expires_at, inviter, role, workspace }: OpenInvitation) =>
    page(
      200,
      `Invitation to ${escapeHtml(workspace)}`,
      `${escapeHtml(inviter)} invites <strong>${escapeHtml(email)}</strong> to the workspace
<strong>${escapeHtml(workspace)}</strong>, with the role ${role}.`,
      "To accept, sign in to your app with this address, or register with it, and give it the link of this page.",
      `Programs send the link's token as <code>{"token": "sfi_…"}</code> to
<code>POST ${escapeHtml(publicUrl)}/v2/invitations/accept</code>, with the access token of the user who is signed in.`,
      `The invitation is good until ${expires_at.slice(0, 16).replace("T", " ")} UTC.`
    )

/** `GET /invitations/accept?token=…`, where the link of an invitation leads (contract 4): it tells how to accept. */
export const AcceptPageHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const invitations = yield* Invitations
      const shown = open(publicUrl)
      const answer = Effect.fnUntraced(function* ({ url }: HttpServerRequest.HttpServerRequest) {
        const token = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("token") ?? ""
        return yield* Effect.match(invitations.find(token), {
          onSuccess: shown,
          onFailure: ({ _tag }) => (_tag === "NotFound" ? unknown : _tag === "Expired" ? expired : unavailable)
        })
      })
      yield* router.add("GET", "/invitations/accept", Effect.flatMap(HttpServerRequest.HttpServerRequest, answer))
    })
  )
