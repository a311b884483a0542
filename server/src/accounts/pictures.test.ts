import { expect, it } from 'vitest'
import { rasterImageIn } from './pictures.ts'

/** The first bytes of images as programs write them. */
const images = {
  png: '89504e470d0a1a0a0000000d49484452000001000000008008060000005c72a866',
  jpeg: 'ffd8ffe000104a46494600010100000100010000ffc00011080080010003012200021101031101',
  lossy: '52494646240000005745425056503820180000003001009d012a0001800000',
  lossless: '524946461a000000574542505650384c0e0000002fffc01f0000000000000000',
  extended: '524946461a0000005745425056503858 0a00000010000000ff00007f0000'.replace(' ', ''),
}

it.each([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['lossy', 'image/webp'],
  ['lossless', 'image/webp'],
  ['extended', 'image/webp'],
] as const)('%s is an image of 256 by 128 pixels', (name, type) => {
  expect(rasterImageIn(Buffer.from(images[name], 'hex'))).toEqual({ type, width: 256, height: 128 })
})

it('texts, other images and cut ones are none', () => {
  const others = [...['', '<svg/>', 'GIF89a', 'RIFF', '%PDF-1.7'].map((text) => Buffer.from(text))]
  const cut = Object.values(images).map((hex) => Buffer.from(hex, 'hex').subarray(0, 15))
  for (const bytes of [...others, ...cut]) expect(rasterImageIn(bytes)).toBeUndefined()
})
