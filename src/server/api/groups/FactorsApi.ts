import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  AddedFactor,
  Factor,
  FactorCreate,
  FactorDelete,
  factorList,
  FactorOffer,
  FactorUpdate,
  OfferedFactor,
  RecoveryCodes,
  RecoveryCodesCreate,
  RecoveryCodesLeft
} from "../../../../services/identity/factors/Factor.ts"
import { ofAccount, SignedIn } from "../Authorization.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

// A user's own factors: every role may use it.
const own = operations(ofAccount("profile"))

export class FactorsApi extends HttpApiGroup.make("factors")
  .add(
    HttpApiEndpoint.get("list", "/factors", { query: page, success: list(Factor) }).annotateMerge(
      own(
        "listFactors",
        "List second factors",
        "The authenticator apps and passkeys of the user, of which there are at most 20. With one of them, a sign-in by password needs a second factor.",
        listing(factorList)
      )
    ),
    HttpApiEndpoint.post("offer", "/factors/offers", { payload: FactorOffer, success: OfferedFactor })
      .annotateMerge(
        own(
          "offerFactor",
          "Begin to add a second factor",
          `Returns what a new factor is made from: the secret of an authenticator app, or the options of a passkey. Nothing is stored until it is added. ${passwordRequired.ofSessions}`,
          { codes: [...passwordRequired.codes, "invalid_state", "not_found"] }
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.post("add", "/factors", { payload: FactorCreate, success: AddedFactor.pipe(created) })
      .annotateMerge(
        own(
          "addFactor",
          "Add a second factor",
          "Adds an offered factor, with a `code` of the authenticator app or the `credential` of the passkey. The first factor of an account comes with ten recovery codes, which no other response has. The session has two factors from now on.",
          { codes: ["two_factors_required", "invalid_state", "already_exists", "invalid_token", "not_found"] }
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.patch("rename", "/factors/:id", { params: id, payload: FactorUpdate, success: Factor })
      .annotateMerge(own("updateFactor", "Rename a second factor", "Changes the name that is shown to the user."))
      .annotate(SignedIn, true),
    HttpApiEndpoint.make("DELETE")("delete", "/factors/:id", {
      params: id,
      payload: optionalBody(FactorDelete),
      success: Deleted
    })
      .annotateMerge(
        own(
          "deleteFactor",
          "Remove a second factor",
          `Sessions stay. The recovery codes go with the last factor. 409 \`invalid_state\` if the user could not sign in any more. ${passwordRequired.ofSessions}`,
          { codes: [...passwordRequired.codes, "two_factors_required", "invalid_state"] }
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.get("codes", "/recovery-codes", { success: RecoveryCodesLeft }).annotateMerge(
      own("getRecoveryCodes", "Count recovery codes", "Returns how many recovery codes are left, but not the codes.")
    ),
    HttpApiEndpoint.post("makeCodes", "/recovery-codes", {
      payload: optionalBody(RecoveryCodesCreate),
      success: RecoveryCodes
    })
      .annotateMerge(
        own(
          "makeRecoveryCodes",
          "Replace the recovery codes",
          `Makes ten recovery codes, each of which completes one sign-in in place of a second factor. The earlier ones end. ${passwordRequired.ofSessions}`,
          { codes: [...passwordRequired.codes, "two_factors_required", "invalid_state", "not_found"] }
        )
      )
      .annotate(SignedIn, true)
  )
  .prefix("/me")
  .annotateMerge(describing("Second factors", "Authenticator apps, passkeys and recovery codes of a user.")) {}
