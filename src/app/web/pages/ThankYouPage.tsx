import { Heart } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { useTitle } from '#web/useTitle.ts';
import { t } from '#app/web/pages/messages.ts';

export default function ThankYouPage() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useTitle(t('thankYou'));
  useEffect(() => (canvas.current ? startConfetti(canvas.current) : undefined), []);
  return (
    <div className="mx-auto flex max-w-2xl flex-col items-center px-6 py-20 text-center sm:py-32">
      <canvas ref={canvas} aria-hidden className="pointer-events-none fixed inset-0 z-40 size-full" />
      <span className="grid size-20 place-items-center rounded-full bg-accent-soft text-accent">
        <Heart aria-hidden className="size-9" strokeWidth={1.75} />
      </span>
      <h1 className="mt-8 text-4xl font-bold">{t('thankYouTitle')}</h1>
      <p className="mt-4 text-lg text-muted">{t('thankYouText')}</p>
      <Button asChild size="lg" className="mt-8">
        <Link to="/app">{t('backToApp')}</Link>
      </Button>
    </div>
  );
}

const confetti = { pieces: 200, seconds: 5, atOnce: 4 };

/** Drops confetti, unless the user prefers reduced motion. Decoration only: errors are logged. */
function startConfetti(canvas: HTMLCanvasElement): () => void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return () => {};
  const { pieces, seconds, atOnce } = confetti;
  let timer: ReturnType<typeof setInterval> | undefined;
  let stopped = false;
  const start = async () => {
    const { default: library } = await import('canvas-confetti');
    if (stopped) return;
    // The library would load its worker from a blob, which the content security policy forbids.
    const drop = library.create(canvas, { resize: true, useWorker: false });
    let remaining = pieces;
    timer = setInterval(
      () => {
        remaining -= atOnce;
        if (remaining <= 0) clearInterval(timer);
        const origin = { x: Math.random(), y: -0.1 };
        void drop({ particleCount: atOnce, origin, angle: 270, spread: 100, startVelocity: 20, ticks: 400 });
      },
      (seconds * 1000 * atOnce) / pieces,
    );
  };
  start().catch((failure: unknown) => console.warn('There is no confetti.', failure));
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
