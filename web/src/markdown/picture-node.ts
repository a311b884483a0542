import { Node } from '@tiptap/react'
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
  renderMarkdown: ({ attrs }) => `![${String(attrs?.alt ?? '').replaceAll(/[[\]\\]/g, '\\$&')}](${attrs?.src ?? ''})`,
})
