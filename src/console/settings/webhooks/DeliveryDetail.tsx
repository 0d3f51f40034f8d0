import type { Schemas } from "../../../client/SheafClient.ts"
import { texts } from "../SettingsMessages.ts"

/** JSON with line breaks; other text unchanged. */
const readable = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // It is another format, or was cut off.
    return text
  }
}

interface MessageProps {
  readonly title: string
  readonly first?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const Message = ({ body, first, headers, title }: MessageProps) => (
  <div>
    <h3>{title}</h3>
    {first !== undefined && <p>{first}</p>}
    <p class="hint">{texts.deliveries.headers}</p>
    <pre class="code" tabIndex={0} role="region" aria-label={`${title}: ${texts.deliveries.headers}`}>
      {Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n")}
    </pre>
    <p class="hint">{texts.deliveries.body}</p>
    <pre class="code" tabIndex={0} role="region" aria-label={`${title}: ${texts.deliveries.body}`}>
      {body === null ? texts.deliveries.erased : readable(body)}
    </pre>
  </div>
)

/** The request and the response of an attempt. */
export const DeliveryDetail = ({
  delivery: { error, request, response, status_code }
}: {
  readonly delivery: Schemas["Delivery"]
}) => (
  <>
    {error !== null && (
      <p class="error">
        {texts.deliveries.error}: {error}
      </p>
    )}
    <div class="detail-parts">
      {request === null ? (
        <p>{texts.deliveries.noRequest}</p>
      ) : (
        <Message
          title={texts.deliveries.request}
          first={`POST ${request.url}`}
          headers={request.headers}
          body={request.body}
        />
      )}
      {response === null ? (
        <p>{texts.deliveries.noResponse}</p>
      ) : (
        <Message
          title={texts.deliveries.response}
          first={String(status_code)}
          headers={response.headers}
          body={response.body}
        />
      )}
    </div>
  </>
)
