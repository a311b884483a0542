import { CodeBlock } from '../../../components/copy.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../../../components/tabs.tsx'

/** A receiver in each language. */
export function Receivers() {
  return (
    <Tabs defaultValue={receivers[0].id}>
      <TabList aria-label="Language">
        {receivers.map(({ id, label }) => (
          <Tab key={id} value={id}>
            {label}
          </Tab>
        ))}
      </TabList>
      {receivers.map(({ id, label, code }) => (
        <TabPanel key={id} value={id} className="mt-3 outline-none">
          <CodeBlock text={code.trimEnd()} label={`Receiver in ${label}`} tall />
        </TabPanel>
      ))}
    </Tabs>
  )
}

/** Receivers to copy. They are complete programs: a test runs them and sends them events. */
export const receivers = [
  {
    id: 'typescript',
    label: 'TypeScript',
    code: `import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from '@kith/sdk'

const secret = process.env.KITH_WEBHOOK_SECRET ?? ''

createServer(async (request, response) => {
  const event = await text(request)
    .then((body) => verifyWebhook(request.headers, body, secret))
    .catch(() => undefined)
  if (event) {
    // Store it here, and process it later. An event can come twice: its webhook-id is the same then.
    console.log(event.type, event.data)
  }
  response.writeHead(event ? 204 : 400).end()
}).listen(Number(process.env.PORT ?? 4000))
`,
  },
  {
    id: 'python',
    label: 'Python',
    code: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["KITH_WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_signed(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256))
    sent = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(expected, one) for one in sent)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        signed = is_signed(self.headers, body)
        if signed:
            # Store it here, and process it later. An event can come twice: its webhook-id is the same then.
            event = json.loads(body)
            print(event["type"], event["data"], flush=True)
        self.send_response(204 if signed else 400)
        self.end_headers()

ThreadingHTTPServer(("", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
`,
  },
] as const
