const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/

/** What is accepted, for the message to whoever registers a client. */
export const REDIRECTS_ACCEPTED =
  'https://…, http:// on the loopback interface (127.0.0.1, [::1] or localhost), ' +
  'or a private-use scheme with a dot such as com.example.app:/callback'

/**
 * Whether a browser may be sent to an address with a code (RFC 8252, 7 and 8.4). Private-use schemes are named after a domain, so
 * they have a dot; without that rule `file:`, `javascript:` and every other scheme of the system would be accepted.
 */
export function isRedirectUri(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url === null) return false
  if (url.protocol === 'https:') return url.username === '' && url.password === ''
  if (url.protocol === 'http:') return LOOPBACK.test(url.hostname) && url.username === '' && url.password === ''
  return url.protocol.includes('.')
}
