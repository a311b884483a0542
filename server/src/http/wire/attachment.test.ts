import { describe, expect, it } from 'vitest'
import { attachmentNamed, rangeIn } from './attachment.ts'

describe('the name of an attachment', () => {
  it.each([
    ['offer.pdf', `filename="offer.pdf"; filename*=UTF-8''offer.pdf`],
    ['Größe €.pdf', `filename="Gr__e _.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.pdf`],
    [`a"b;c%20'(d)*.txt`, `filename="a_b_c_20'(d)*.txt"; filename*=UTF-8''a%22b%3Bc%2520%27%28d%29%2A.txt`],
    ['..', `filename=".."; filename*=UTF-8''..`],
    ['\u{202e}fdp.exe', `filename="_fdp.exe"; filename*=UTF-8''%E2%80%AEfdp.exe`],
  ])('is safe: %s', (name, written) => {
    expect(attachmentNamed(name)).toBe(`attachment; ${written}`)
  })
})

describe('the range of 100 bytes', () => {
  it.each([
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=99-1000', { start: 99, end: 99 }],
    ['BYTES=0-0', { start: 0, end: 0 }],
    ['bytes=100-', null],
    ['bytes=-0', null],
    ['bytes=9-0', undefined],
    ['bytes=0-9,20-29', undefined],
    ['bytes=a-b', undefined],
    ['bytes=-', undefined],
    ['lines=0-9', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('that %s asks for', (header, range) => {
    expect(rangeIn(header, 100)).toEqual(range)
  })
})
