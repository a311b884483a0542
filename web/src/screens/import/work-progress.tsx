/** How far something is that takes a while. Without a share it only says that it goes on. */
export function WorkProgress({ text, share }: { text: string; share?: number | undefined }) {
  return (
    <div className="w-full max-w-80">
      <p role="status" className="truncate text-sm text-quiet">
        {text}
        {share !== undefined && ` · ${Math.floor(share * 100)} %`}
      </p>
      <progress
        aria-label={text}
        className="bulk-progress mt-2 block h-1 w-full"
        {...(share === undefined ? {} : { value: share, max: 1 })}
      />
    </div>
  )
}
