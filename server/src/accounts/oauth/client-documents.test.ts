import { describe, expect, it } from 'vitest'
import { isDocumentUrl } from './client-documents.ts'

describe('the ID of a client', () => {
  it.each(['https://example.com/client.json', 'https://example.com:8443/a/b?c=d', 'http://10.0.0.1/client'])(
    '%s is the URL of a document',
    (id) => expect(isDocumentUrl(id)).toBe(true),
  )

  it.each([
    '',
    'sVpKXmHfQWsLzPqNnRtYcDgBvJkXaEoU',
    'urn:example',
    'ftp://example.com/client',
    'https:',
    'https://',
    // Without a path, everyone who may publish a page could speak for the host.
    'https://example.com',
    'https://example.com/',
    // One document has one URL.
    'https://EXAMPLE.com/client',
    'https://example.com:443/client',
    'https:/example.com/client',
    'https://example.com/a/../client',
    'https://example.com/a/%2e%2e/client',
    'https://example.com\\client',
    'https://example.com/client#',
    'https://example.com/client#a',
    ' https://example.com/client',
    'https://user@example.com/client',
    'https://user:password@example.com/client',
    'https://example.com/\0',
    'https://example.com/a b',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('%j is not', (id) => expect(isDocumentUrl(id)).toBe(false))
})
