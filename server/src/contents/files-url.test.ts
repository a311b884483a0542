import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseFilesUrl } from './files-url.ts'

describe('FILES_URL', () => {
  it.each([
    ['file:./data/files', { kind: 'folder', path: resolve('data/files') }],
    ['file:///srv/my files', { kind: 'folder', path: '/srv/my files' }],
    ['file:/srv/files', { kind: 'folder', path: '/srv/files' }],
    ['s3://crm', { kind: 'bucket', url: 'https://s3.us-east-1.amazonaws.com/crm', prefix: '', region: 'us-east-1' }],
    [
      's3://crm-files/a/b/?endpoint=http://localhost:9000/s3/&region=garage',
      { kind: 'bucket', url: 'http://localhost:9000/s3/crm-files', prefix: 'a/b/', region: 'garage' },
    ],
    ['s3://', undefined],
    ['s3://Crm', undefined],
    ['s3://crm?endpoint=localhost', undefined],
    ['s3://crm?endpoint=ftp://localhost', undefined],
    ['s3://crm?endpoint=https://key:secret@localhost', undefined],
    ['s3://crm?regoin=x', undefined],
    ['s3://crm?region=', undefined],
    ['s3://crm/a/../b c', undefined],
    ['s3://key:secret@crm', undefined],
    ['http://localhost/files', undefined],
    ['./data/files', undefined],
  ])('%s', (text, place) => {
    expect(parseFilesUrl(text)).toEqual(place)
  })
})
