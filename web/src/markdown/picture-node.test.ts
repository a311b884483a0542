import { MarkdownManager } from '@tiptap/markdown'
import { describe, expect, it } from 'vitest'
import { PictureNode, TextNodes } from './picture-node.ts'

const manager = new MarkdownManager({ extensions: [TextNodes, PictureNode] })
const picture = '![a \\[1\\] & "b" c_d_.png](https://crm.example.com/acme/files/01kb8x2m4n6p8q0r2s4t6v8w0x)'

describe('a picture in the editor', () => {
  it.each([
    picture,
    `Text\n\n${picture}\n\nText`,
    `Before ${picture} between ${picture}`,
    `- ${picture}\n- Text`,
    `> ${picture}`,
    'Text **bold**\n\n- [a link](https://example.com)',
  ])('keeps its place and its name: %j', (markdown) => {
    expect(manager.serialize(manager.parse(markdown))).toBe(markdown)
  })
})
