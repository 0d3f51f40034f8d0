import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  AppAllowed,
  AppConnect,
  AppRequest,
  AppRequested,
  ConnectedApp,
  connectedAppList
} from "../../../../services/oauth/ConnectedApp.ts"
import { ofAccount, SignedIn } from "../Authorization.ts"
import { Deleted, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

// Apps are those of the user: every role may connect one, and it has the role of the user.
const own = operations(ofAccount("profile"))

export class ConnectedAppsApi extends HttpApiGroup.make("connectedApps")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ConnectedApp) }).annotateMerge(
      own(
        "listConnectedApps",
        "List connected apps",
        "The apps that the user has connected in any of their workspaces, of which there are at most 100: beyond, the one that was idle for longest ends.",
        listing(connectedAppList)
      )
    ),
    HttpApiEndpoint.post("describe", "/describe", { payload: AppRequest, success: AppRequested })
      .annotateMerge(
        own(
          "describeApp",
          "Describe an app that asks for access",
          "Checks a request of an app as `/oauth/authorize` does, and returns what a person has to know before they allow it. 422 `validation_failed` if the request is not valid."
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.post("connect", "/", { payload: AppConnect, success: AppAllowed })
      .annotateMerge(
        own(
          "connectApp",
          "Connect an app",
          `Allows a request of an app: the browser then goes to \`redirect_url\`, and the app exchanges the code in it for tokens. The app acts as the user in one workspace, with the chosen scopes and the user's current role, and with \`notebooks\` only within these. ${passwordRequired.ofSessions}`,
          { codes: [...passwordRequired.codes, "unresolved_reference"] }
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ConnectedApp }).annotateMerge(
      own("getConnectedApp", "Get a connected app", "An app of the user.")
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted }).annotateMerge(
      own(
        "deleteConnectedApp",
        "Disconnect an app",
        "Ends the app with its tokens and streams, at once on this node and within a second on others.",
        { deletes: "session" }
      )
    )
  )
  .prefix("/me/connected-apps")
  .annotateMerge(
    describing(
      "Connected apps",
      "Assistants and other programs that act for a user by OAuth, without a password or an API key."
    )
  ) {}
