import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2023' },
  // While the application is worked on, the service is asked at its own address.
  server: { proxy: { '/api': process.env.KITH_URL ?? 'http://127.0.0.1:3000' } },
})
