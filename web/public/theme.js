// Runs before the first paint, so that the page never flashes in the other theme. Kept apart because the policy of the
// page allows no script inside it.
{
  const chosen = localStorage.getItem('kith.theme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}
