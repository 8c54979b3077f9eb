module github.com/gcnsim/gcnsim

go 1.26
