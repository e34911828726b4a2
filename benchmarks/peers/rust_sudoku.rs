// Count solutions of a file of 9 x 9 puzzles, one a line, up to a limit each, with the crate sudoku.
use sudoku::Sudoku;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let limit: usize = arguments[1].parse().unwrap();
    let text = std::fs::read_to_string(&arguments[2]).unwrap();
    let mut total = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let puzzle = Sudoku::from_str_line(&line[..81]).unwrap();
        total += if limit == 1 {
            puzzle.some_solution().is_some() as usize
        } else {
            puzzle.solutions_count_up_to(limit)
        };
    }
    println!("total {}", total);
}
