import { type AnyExtension, Node } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { fileIn } from './file-links.ts'

/** A picture that is a file of this installation. Pasted pictures of others are left out. */
export const PictureNode = Node.create<{ contentOf(id: string): string }>({
  name: 'picture',
  group: 'inline',
  inline: true,
  atom: true,
  draggable: true,
  addOptions: () => ({ contentOf: (id) => id }),
  addAttributes: () => ({ src: { default: '' }, alt: { default: '' } }),
  renderHTML({ node }) {
    const { src, alt } = node.attrs
    const id = fileIn(src, window.location.origin)
    return ['img', { alt, src: id === undefined ? '' : this.options.contentOf(id) }]
  },
  markdownTokenName: 'image',
  parseMarkdown: ({ href, text }, helpers) => helpers.createNode('picture', { src: href, alt: text }),
  renderMarkdown: ({ attrs }) => `![${String(attrs?.alt ?? '').replaceAll(/[[\]]/g, '\\$&')}](${attrs?.src ?? ''})`,
})

/** The nodes of texts. A paragraph of one picture stays one: the library would take the picture out and drop it. */
export const TextNodes = StarterKit.extend({
  addExtensions() {
    const nodes = this.parent?.() ?? []
    return nodes.map((node) => (node.name === 'paragraph' ? withPictureAlone(node) : node))
  },
})

function withPictureAlone(paragraph: AnyExtension): AnyExtension {
  return paragraph.extend({
    parseMarkdown(token, helpers) {
      const { tokens = [] } = token
      const isAlone = tokens.length === 1 && tokens[0]?.type === 'image'
      if (isAlone) return helpers.createNode('paragraph', undefined, helpers.parseInline(tokens))
      return this.parent?.(token, helpers) ?? []
    },
  })
}
