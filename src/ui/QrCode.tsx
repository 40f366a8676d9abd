import { useEffect, useState } from 'react';
import { cn } from './class-names.ts';

export type QrCodeProps = {
  value: string;
  /** The accessible name: what scanning the code does. */
  label: string;
  className?: string;
};

type Drawing = { value: string; size: number; path: string };

/** A QR code, always dark on white, so that every camera can read it. The encoder is loaded lazily. */
export function QrCode({ value, label, className }: QrCodeProps) {
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    let wanted = true;
    void draw(value).then((drawn) => (wanted ? setDrawing(drawn) : undefined));
    return () => {
      wanted = false;
    };
  }, [value]);
  const ready = drawing?.value === value;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={ready ? `0 0 ${drawing.size} ${drawing.size}` : '0 0 1 1'}
      shapeRendering="crispEdges"
      className={cn('aspect-square w-48 rounded-lg bg-white', className)}
    >
      {ready && <path d={drawing.path} fill="#000" />}
    </svg>
  );
}

async function draw(value: string): Promise<Drawing> {
  const { encode } = await import('uqr');
  const { data, size } = encode(value, { ecc: 'M', border: 3 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { value, size, path };
}
