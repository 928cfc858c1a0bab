/** The size at which texts are measured, in pixels. */
const MEASURED_SIZE = 100;
/** The width of a character in units of the font size where there is nothing to measure with. */
const USUAL_WIDTH = 0.6;

/** Measures texts in the window's font, and remembers the results. */
export class TextWidths {
  #known = new Map<string, number>();
  #pen: CanvasRenderingContext2D | null | undefined;

  constructor(private readonly weight: number) {}

  /** The width of a text at a font size of one pixel. */
  widthOf(text: string): number {
    let width = this.#known.get(text);
    if (width === undefined) {
      width = this.#measure(text);
      this.#known.set(text, width);
    }
    return width;
  }

  #measure(text: string): number {
    if (this.#pen === undefined) {
      this.#pen = document.createElement("canvas").getContext("2d");
      if (this.#pen) this.#pen.font = `${this.weight} ${MEASURED_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
    }
    return this.#pen ? this.#pen.measureText(text).width / MEASURED_SIZE : text.length * USUAL_WIDTH;
  }
}
