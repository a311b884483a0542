/** The picture is shown at most at a quarter of this size, on dense screens at half of it. */
const SIDE = 256

/** The middle of an image as a small square, as base64. Fails if the browser cannot read the file as an image. */
export async function resizePicture(file: Blob): Promise<string> {
  const image = await createImageBitmap(file)
  const canvas = document.createElement('canvas')
  canvas.width = SIDE
  canvas.height = SIDE
  const side = Math.min(image.width, image.height)
  const [left, top] = [(image.width - side) / 2, (image.height - side) / 2]
  canvas.getContext('2d')?.drawImage(image, left, top, side, side, 0, 0, SIDE, SIDE)
  image.close()
  const small = await encoded(canvas, 'image/webp')
  // A browser that does not write WebP returns a PNG, which may be large.
  return toBase64(small.type === 'image/webp' ? small : await encoded(canvas, 'image/jpeg'))
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error('The image could not be resized.')))
    canvas.toBlob(done, type, 0.85)
  })
}

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
