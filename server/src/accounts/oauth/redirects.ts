const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/

/** What is accepted, for the message to whoever registers a client. */
export const REDIRECTS_ACCEPTED =
  'https://…, http:// on the loopback interface (127.0.0.1, [::1] or localhost), ' +
  "or the application's own scheme such as com.example.app:/callback"

/** Schemes that browsers and operating systems handle themselves. `ms-…:` are those of Windows. */
const NO_APPLICATION =
  /^(about|blob|chrome|data|file|filesystem|ftps?|geo|intent|javascript|jar|mailto|ms-[a-z-]*|search-ms|sftp|shell|smb|sms|ssh|tel|urn|vbscript|view-source|wss?):$/

/**
 * Whether a browser may be sent to an address with a code (RFC 8252, 7 and 8.4). The RFC wants schemes of applications to be named after a
 * domain, but widely used ones are not (`cursor:`, `vscode:`), so that only schemes which no application registers are refused.
 */
export function isRedirectUri(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url === null) return false
  const { protocol, hostname, username, password } = url
  if (protocol === 'https:') return username === '' && password === ''
  if (protocol === 'http:') return LOOPBACK.test(hostname) && username === '' && password === ''
  return !NO_APPLICATION.test(protocol)
}
