const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/

/** What is accepted, for the error message. */
export const REDIRECTS_ACCEPTED =
  'https://…, http:// on the loopback interface (127.0.0.1, [::1] or localhost), ' +
  "or the application's own scheme such as com.example.app:/callback"

/** Schemes that browsers and operating systems handle themselves. `ms-…:` are those of Windows. */
const NO_APPLICATION = new RegExp(
  '^(about|blob|chrome|data|file|filesystem|ftps?|geo|intent|javascript|jar|mailto|ms-[a-z-]*|search-ms|sftp|' +
    'shell|smb|sms|ssh|tel|urn|vbscript|view-source|wss?):$',
)

/**
 * Whether a code may be sent to an address (RFC 8252, 7 and 8.4). The RFC requires that schemes of applications
 * contain a domain, but widely used ones do not (`cursor:`, `vscode:`), so only reserved schemes are refused.
 */
export function isRedirectUri(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url === null) return false
  const { protocol, hostname, username, password } = url
  if (protocol === 'https:') return username === '' && password === ''
  if (protocol === 'http:') return LOOPBACK.test(hostname) && username === '' && password === ''
  return !NO_APPLICATION.test(protocol)
}
